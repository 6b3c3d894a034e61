import type { IncomingMessage } from 'node:http';
import type { Gate, Policy } from '../gate.ts';
import { Refusal } from '../verdict/refusal.ts';
import { gatherBody } from './gather-body.ts';
import { destinationOf, isRefused, type Outgoing, outgoingOfPlan } from './outgoing.ts';
import type { ProxySettings } from './proxy-options.ts';
import type { Framing } from './request-framing.ts';

/** A request to one of the proxy's own paths, as it goes out; `release` when that is done. Throws a Refusal. */
export async function prepareRoute(
  request: IncomingMessage,
  framing: Framing,
  gate: Gate,
  policy: Policy,
  settings: ProxySettings,
): Promise<{ outgoing: Outgoing; release: () => void }> {
  const asked = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: pairsOf(request.rawHeaders),
  };
  const plan = await settings.routes(asked, policy.state);
  if (isRefused(plan)) throw new Refusal(plan.refused, plan.message, { status: plan.status });
  const destination = destinationOf(plan, policy);
  if (!plan.gather) {
    return { outgoing: outgoingOfPlan(plan, destination, plan.headers, framing), release: () => {} };
  }
  const body = await gatherBody(request, framing, plan.gather.mostBytes, gate, settings.limits);
  try {
    const headers = await plan.gather.finish(body.bytes);
    return { outgoing: outgoingOfPlan(plan, destination, headers, body.bytes), release: body.release };
  } catch (error) {
    body.release();
    throw error;
  }
}

function pairsOf(headers: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? '']);
  return pairs;
}
