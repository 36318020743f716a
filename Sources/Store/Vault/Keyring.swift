internal import CKeyutils
import Crypto
import Glibc
import LockedMemory

/// Keeps the key of an unlocked vault between commands.
package protocol Keyring: Sendable {
  func key(named name: String) -> LockedBytes?
  /// Keeps it for so many seconds, 0 for as long as the login session lasts; false where that is not possible.
  func keep(_ key: LockedBytes, named name: String, seconds: Int) -> Bool
  func remove(named name: String)
}

/// The kernel's own key store, in the keyring of the login session: no process, no file; the key goes when its time or
/// the session ends (keyrings(7)). Where the kernel has none, each command asks for the PIN.
package struct KernelKeyring: Keyring {
  package init() {}

  package func key(named name: String) -> LockedBytes? {
    guard let session, case let serial = keyctl_search(session, "user", name, 0), serial > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: AES256GCM.keyBytes)
    defer { bytes.wipe() }
    let count = keyctl_read(key_serial_t(serial), &bytes, bytes.count)
    return count == AES256GCM.keyBytes ? LockedBytes(bytes) : nil
  }

  package func keep(_ key: LockedBytes, named name: String, seconds: Int) -> Bool {
    guard let session else { return false }
    let serial = key.withBytes { add_key("user", name, $0.baseAddress, $0.count, session) }
    guard serial > 0 else { return false }
    return keyctl_set_timeout(serial, UInt32(clamping: seconds)) == 0
  }

  package func remove(named name: String) {
    guard let session, case let serial = keyctl_search(session, "user", name, 0), serial > 0 else { return }
    keyctl_revoke(key_serial_t(serial))
    keyctl_unlink(key_serial_t(serial), session)
  }

  /// The session's keyring by its own number: its special name would make a new one for this process alone.
  private var session: key_serial_t? {
    let serial = keyctl_get_keyring_ID(key_serial_t(KEY_SPEC_SESSION_KEYRING), 0)
    return serial > 0 ? serial : nil
  }
}

/// Keeps nothing.
package struct NoKeyring: Keyring {
  package init() {}
  package func key(named name: String) -> LockedBytes? { nil }
  package func keep(_ key: LockedBytes, named name: String, seconds: Int) -> Bool { false }
  package func remove(named name: String) {}
}
