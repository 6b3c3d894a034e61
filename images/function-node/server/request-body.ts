/** A body that is JSON has at most so many bytes. */
const MOST_BYTES = 10 * 1024 * 1024;

/** A call that never reaches the handler. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An empty body is `{}`. One that is too long is read to its end all the same, or its sender would not hear why. */
export async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes <= MOST_BYTES) pieces.push(piece);
  }
  if (bytes > MOST_BYTES) throw new Refusal(413, `the body has ${bytes} bytes; ${MOST_BYTES} is the most`);
  if (bytes === 0) return {};
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch (error) {
    throw new Refusal(400, `the body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
