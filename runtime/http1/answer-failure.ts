/** An answer that did not come, or is none. The message names nothing that was sent. */
export class AnswerFailure extends Error {
  /** What went wrong: the connection, whose error has this message, or what was said over it. */
  readonly about: 'connection' | 'answer';

  constructor(about: 'connection' | 'answer', message: string) {
    super(message);
    this.name = 'AnswerFailure';
    this.about = about;
  }
}

/** Not as HTTP has it. */
export function badAnswer(what: string): AnswerFailure {
  return new AnswerFailure('answer', what);
}

/** The code of a system, TLS or parser error, which has nothing of the request in it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'an error';
}
