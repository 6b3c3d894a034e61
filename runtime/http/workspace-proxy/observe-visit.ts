import type { Logger } from 'pino';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Visit } from './visit.ts';

interface Parts {
  metrics: Pick<Metrics, 'proxiedRequests' | 'proxiedConnections'>;
  log: Logger;
}

/** Counts a visit and puts it in the log: what a container answered only where somebody looks closely. */
export function observeVisit(visit: Visit, { metrics, log }: Parts): void {
  const { request, response, kind, requestId, address, facts } = visit;
  const began = performance.now();
  metrics.proxiedConnections.inc({ kind });
  const over = () => {
    metrics.proxiedConnections.dec({ kind });
    const tunnelled = kind === 'websocket' && visit.passed === true && !response.headersSent;
    const status = tunnelled ? 101 : response.statusCode;
    metrics.proxiedRequests.inc({ status: `${String(status)[0]}xx` });
    const level = visit.passed === true ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        request_id: requestId,
        method: request.method,
        workspace_id: address.id,
        status,
        ms: Math.round(performance.now() - began),
        client: facts.client,
        ...(visit.key === undefined ? {} : { tenant: visit.key.tenant, key: visit.key.name }),
      },
      kind === 'websocket' ? 'WebSocket to a workspace' : 'request to a workspace',
    );
  };
  if (kind === 'websocket') request.socket.once('close', over);
  else response.once('close', over);
}
