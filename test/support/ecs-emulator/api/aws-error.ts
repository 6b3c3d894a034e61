/** What AWS answers with instead of a result: a code, a status, words, and for some codes more fields. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, fields: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

export const invalidParameter = (message: string): AwsError =>
  new AwsError('InvalidParameterException', message);

export const clientException = (message: string): AwsError => new AwsError('ClientException', message);

/** What ECS has and the emulator has not is refused, never passed over. */
export const notEmulated = (what: string): AwsError =>
  invalidParameter(`The emulator does not emulate ${what}.`);
