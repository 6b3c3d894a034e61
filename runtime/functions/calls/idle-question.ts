import type { UpstreamConnection } from '../../http1/upstream-connection.ts';
import { ASK_MS, IDLE_PATH } from '../pool/worker-probe.ts';

const QUESTION = `GET ${IDLE_PATH} HTTP/1.1\r\nHost: function\r\n\r\n`;

/**
 * Whether its program says anything, whatever it is; `silent`: nothing yet, though it may. After an answer the connection
 * is with its keeper, or closed, as it is in every other case.
 */
export function askOver(connection: UpstreamConnection): Promise<'answered' | 'silent' | 'nothing'> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      connection.destroy();
      resolve('silent');
    }, ASK_MS);
    const over = (said: 'answered' | 'nothing') => {
      clearTimeout(late);
      resolve(said);
    };
    const asker = {
      head() {},
      body(_: Buffer, last: boolean) {
        if (last) over('answered');
        return true;
      },
      drained() {},
      failed: () => over('nothing'),
    };
    try {
      connection.ask(asker, 'GET', QUESTION);
    } catch {
      over('nothing'); // it was closed at once
    }
  });
}
