import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from './engine-client.ts';
import { callFailure, isRefusal, unavailable } from './engine-errors.ts';

const POLL_MS = 50;
const GONE_WITHIN_MS = 30_000;

/** Stops, within `stopSeconds`, and removes a container by the engine's id. Resolves once it is gone, whoever did it. */
export async function removeContainer(
  engine: EngineClient,
  engineId: string,
  stopSeconds: number,
  removeSeconds?: number,
): Promise<void> {
  try {
    if (stopSeconds > 0) await tolerating([304, 404], engine.stop(engineId, Math.ceil(stopSeconds)));
    await tolerating([404], engine.remove(engineId, removeSeconds));
  } catch (error) {
    if (!isRefusal(error, 409)) throw callFailure(error, engineId);
    await untilGone(engine, engineId); // someone else is removing it
  }
}

async function tolerating(statuses: number[], call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isRefusal(error, ...statuses)) throw error;
  }
}

async function untilGone(engine: EngineClient, engineId: string): Promise<void> {
  const giveUp = performance.now() + GONE_WITHIN_MS;
  while ((await engine.inspect(engineId)) !== undefined) {
    if (performance.now() > giveUp)
      throw unavailable('remove', engine.host, `${engineId} is being removed for too long`);
    await sleep(POLL_MS);
  }
}
