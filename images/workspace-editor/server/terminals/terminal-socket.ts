import type { WebSocket } from 'ws';
import type { Terminal } from './terminal.ts';
import { parseFromPage } from './terminal-messages.ts';

/** Try again later: the page comes back when someone looks at it. */
const TOO_SLOW = 1013;

/** `WebSocket api/terminal?id=`: bytes are what is typed and shown; text is JSON about it. */
export function serveTerminal(socket: WebSocket, terminal: Terminal): void {
  const viewer = terminal.attach({
    sendPast: (shown) => {
      socket.send(JSON.stringify({ past: shown.length }));
      socket.send(shown);
    },
    sendOutput: (chunk) => socket.send(chunk),
    sendExit: (exitCode) => socket.send(JSON.stringify({ exitCode })),
    close: (reason) => socket.close(TOO_SLOW, reason),
  });
  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0); // `nodebuffer`, as it is by default
    if (isBinary) {
      terminal.type(bytes);
      return;
    }
    const message = parseFromPage(bytes.toString());
    if (message?.kind === 'drawn') terminal.drawn(viewer, message.bytes);
    else if (message?.kind === 'resize') terminal.resize(message.size);
  });
  socket.on('close', () => terminal.detach(viewer));
}
