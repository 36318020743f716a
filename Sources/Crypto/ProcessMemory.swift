internal import CCrypto

/// The memory of the whole process, in which secrets stand while they are used.
package enum ProcessMemory {
  /// From here on no core file is written, and no other program of the same user may read it or attach to it.
  ///
  /// Children start without it.
  package static func keepPrivate() { ccrypto_keep_memory_private() }
}
