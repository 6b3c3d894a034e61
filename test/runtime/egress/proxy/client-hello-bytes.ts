/** A ClientHello message by hand; without `names` it has no extensions at all. */
export function clientHello({ names, again = false }: { names?: string[]; again?: boolean }): Buffer {
  const fixed = [
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(32)),
    vector(2, Buffer.from([19, 1])),
  ];
  const parts = [...fixed, vector(1, Buffer.from([0]))];
  if (names) {
    const list = names.map((name) => Buffer.concat([Buffer.from([0]), vector(2, Buffer.from(name))]));
    const named = names.length === 0 ? [] : [Buffer.from([0, 0]), vector(2, vector(2, Buffer.concat(list)))];
    const padding = [Buffer.from([0, 21]), vector(2, Buffer.alloc(200))];
    parts.push(vector(2, Buffer.concat([...padding, ...named, ...(again ? named : [])])));
  }
  return Buffer.concat([Buffer.from([1]), vector(3, Buffer.concat(parts))]);
}

/** The message in TLS records of at most so many bytes. */
export function records(message: Buffer, size = 16_384): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    parts.push(Buffer.from([22, 3, 1]), vector(2, message.subarray(at, at + size)));
  }
  return Buffer.concat(parts);
}

function vector(width: number, bytes: Buffer): Buffer {
  const length = Buffer.alloc(width);
  length.writeUIntBE(bytes.length, 0, width);
  return Buffer.concat([length, bytes]);
}
