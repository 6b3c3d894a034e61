/** Why the runtime can't start, in one line that says what to do. */
export class StartFailure extends Error {
  /** 2 when the configuration is wrong, 1 when the surroundings are. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartFailure';
    this.exitCode = exitCode;
  }
}
