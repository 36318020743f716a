package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs. It claims nothing about speed: the slowest test takes minutes where the machine is busy.
  package static var bounded: Self { .timeLimit(.minutes(15)) }
}
