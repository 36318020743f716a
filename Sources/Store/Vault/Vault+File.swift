import Glibc
import Model

extension Vault {
  func read() throws(VaultError) -> VaultFile {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(path, maxBytes: 64 << 20)
    } catch {
      throw error.isMissing ? .doesNotExist(name) : .file(error)
    }
    return try VaultFile(bytes, path: path)
  }

  func write(_ file: VaultFile) throws(VaultError) {
    do throws(FileError) { try Files.replace(path, with: file.bytes) } catch { throw .file(error) }
  }

  /// Only for who holds the lock.
  func remove() throws(VaultError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .file(FileError(.remove, path)) }
    Files.synchronise(FilePath.directory(of: path))
    guardFile.beginRound()
    close()
  }

  /// Forgets the key, here and in the keyring.
  func close() {
    state.withLock { $0 = State() }
    keyring.remove(named: keyName)
  }

  /// Runs `body` while no other process changes the vault.
  func locking(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    let descriptor: Int32
    do throws(FileError) {
      descriptor = try guardFile.take()
    } catch {
      throw error.isMissing ? .doesNotExist(name) : .file(error)
    }
    defer { Glibc.close(descriptor) }
    try body()
  }
}
