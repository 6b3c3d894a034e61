import { BLOCK, encodeHeader, paddingOf, type TarHeader } from './header.ts';
import { encodePax } from './pax.ts';

interface TarMember {
  path: string;
  type: 'file' | 'directory';
  size: number;
  mode: number;
  /** Seconds since 1970. */
  modifiedAt: number;
}

/** The two empty blocks that end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** The header of a member: one ustar block, and a pax header before it where that can't say everything. */
export function memberHeader({ path, type, ...rest }: TarMember): Buffer {
  const isDirectory = type === 'directory';
  const name = isDirectory ? `${path}/` : path;
  const header = { ...rest, path: Buffer.from(name), type: isDirectory ? '5' : '0' };
  const block = encodeHeader(header);
  if (block) return block;

  const pax = encodePax({ path: name, size: String(header.size) });
  const plain = { ...header, path: Buffer.from('pax') };
  return Buffer.concat([
    mustFit({ ...plain, type: 'x', size: pax.length }),
    pax,
    padding(pax.length),
    encodeHeader(plain) ?? mustFit({ ...plain, size: 0 }),
  ]);
}

/** The zeros after a content of this size. */
export function padding(size: number): Buffer {
  return Buffer.alloc(paddingOf(size));
}

function mustFit(header: TarHeader): Buffer {
  const block = encodeHeader(header);
  if (!block) throw new Error(`a plain tar header does not fit: ${JSON.stringify(header)}`);
  return block;
}
