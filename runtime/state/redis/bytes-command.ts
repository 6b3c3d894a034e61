import { Command } from 'ioredis';
import type { ScriptArgument } from './script-arguments.ts';

/** What of a socket is used. */
interface Corked {
  cork(): void;
  uncork(): void;
  write(piece: string | Buffer): unknown;
}

/**
 * A command that hands its bytes to the socket as they are, where ioredis copies them into one piece with the rest, and
 * that lets go of them then: it can be sent only once. Its reply is text.
 */
export class BytesCommand extends Command {
  constructor(name: string, words: readonly ScriptArgument[]) {
    super(name, [...words], { replyEncoding: 'utf8' });
  }

  override toWritable(socket: object): string {
    // The cast: ioredis gives its own stream, a net or TLS socket.
    const to = socket as Corked;
    to.cork();
    let text = `*${this.args.length + 1}\r\n$${this.name.length}\r\n${this.name}\r\n`;
    for (const word of this.args) {
      if (Buffer.isBuffer(word)) {
        to.write(`${text}$${word.length}\r\n`);
        to.write(word);
        text = '\r\n';
      } else {
        text += `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`;
      }
    }
    // Commands that are done stay in memory for some time, and would keep these there.
    this.args = [];
    process.nextTick(() => to.uncork());
    return text;
  }
}
