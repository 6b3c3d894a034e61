import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Beside this module; beside the bundle where the runtime is bundled, so the build copies the folder there. */
const FOLDER = new URL('./lua/', import.meta.url);

export interface LuaScript {
  text: string;
  /** SHA-1, by which Redis knows it. */
  sha: string;
}

export type ScriptName = keyof ReturnType<typeof loadScripts>;
export type WorkerScriptName = keyof ReturnType<typeof loadWorkerScripts>;

/** What stands before a script, by when it does its work: always, or only once the data has been adopted. */
const ALWAYS = ['clock.lua', 'prelude.lua'];
const ADOPTED = [...ALWAYS, 'epoch.lua'];
/** The same, with the rules of executions. */
const ALWAYS_EXECUTIONS = [...ALWAYS, 'execution-rules.lua'];
const ADOPTED_EXECUTIONS = [...ADOPTED, 'execution-rules.lua'];
/** With the rules of who uses a workspace. */
const ALWAYS_ACTIVITY = [...ALWAYS, 'activity-rules.lua'];
/** With keys of their own, and nothing of conversations: a call of a function runs two of them. */
const WORKERS = ['clock.lua', 'worker-rules.lua'];

export function loadScripts() {
  return {
    acquire: script(ADOPTED_EXECUTIONS, 'conversations/acquire.lua'),
    beginDrain: script(ADOPTED, 'conversations/begin-drain.lua'),
    beginWork: script(ADOPTED, 'conversations/begin-work.lua'),
    bind: script(ADOPTED, 'conversations/bind.lua'),
    confirm: script(ADOPTED_EXECUTIONS, 'conversations/confirm.lua'),
    count: script(ALWAYS, 'conversations/count.lua'),
    due: script(ALWAYS, 'conversations/due.lua'),
    exchange: script(ADOPTED, 'conversations/exchange.lua'),
    endWork: script(ADOPTED, 'conversations/end-work.lua'),
    findByContainer: script(ALWAYS, 'conversations/find-by-container.lua'),
    get: script(ALWAYS, 'conversations/get.lua'),
    list: script(ALWAYS, 'conversations/list.lua'),
    now: script(ALWAYS, 'conversations/now.lua'),
    places: script(ALWAYS, 'conversations/places.lua'),
    postpone: script(ADOPTED, 'conversations/postpone.lua'),
    release: script(ADOPTED, 'conversations/release.lua'),
    remove: script(ADOPTED, 'conversations/remove.lua'),
    renewPreparation: script(ADOPTED, 'conversations/renew-preparation.lua'),
    renewWork: script(ADOPTED, 'conversations/renew-work.lua'),
    saved: script(ADOPTED, 'conversations/saved.lua'),
    scan: script(ALWAYS, 'conversations/scan.lua'),
    workInFlight: script(ALWAYS, 'conversations/work-in-flight.lua'),

    abandonExecution: script(ADOPTED_EXECUTIONS, 'executions/abandon.lua'),
    appendEvents: script(ADOPTED_EXECUTIONS, 'executions/append.lua'),
    countRunning: script(ALWAYS, 'executions/count-running.lua'),
    finishExecution: script(ADOPTED_EXECUTIONS, 'executions/finish.lua'),
    getExecution: script(ALWAYS_EXECUTIONS, 'executions/get.lua'),
    leaveRelay: script(ADOPTED_EXECUTIONS, 'executions/leave-relay.lua'),
    listExecutions: script(ALWAYS_EXECUTIONS, 'executions/list.lua'),
    logEnd: script(ALWAYS_EXECUTIONS, 'executions/log-end.lua'),
    readEvents: script(ALWAYS_EXECUTIONS, 'executions/read.lua'),
    renewRelay: script(ADOPTED_EXECUTIONS, 'executions/renew-relay.lua'),
    takeRelay: script(ADOPTED_EXECUTIONS, 'executions/take-relay.lua'),
    withoutRelay: script(ALWAYS_EXECUTIONS, 'executions/without-relay.lua'),

    addMember: script(ADOPTED, 'warm-pool/add.lua'),
    configurePool: script(ALWAYS, 'warm-pool/configure.lua'),
    lookAtPool: script(ALWAYS, 'warm-pool/look.lua'),
    removeMember: script(ADOPTED, 'warm-pool/remove.lua'),
    renewMember: script(ADOPTED, 'warm-pool/renew.lua'),
    reserveMember: script(ADOPTED, 'warm-pool/reserve.lua'),

    adopt: script(ALWAYS_EXECUTIONS, 'adoption/adopt.lua'),
    adoptionNeeded: script(ALWAYS, 'adoption/needed.lua'),
    completeAdoption: script(ALWAYS, 'adoption/complete.lua'),
    discardWarm: script(ALWAYS, 'adoption/discard-warm.lua'),
    reserveUnknown: script(ALWAYS, 'adoption/reserve-unknown.lua'),

    holdLease: script(ALWAYS, 'leases/hold.lua'),
    letGoOfLease: script(ALWAYS, 'leases/let-go.lua'),

    armIdleTimer: script(ALWAYS_ACTIVITY, 'activity/arm-timer.lua'),
    beatConnections: script(ALWAYS_ACTIVITY, 'activity/beat.lua'),
    connect: script(ALWAYS_ACTIVITY, 'activity/connect.lua'),
    disconnect: script(ALWAYS_ACTIVITY, 'activity/disconnect.lua'),
    useOnce: script(ALWAYS, 'activity/use-once.lua'),
    workspacesInUse: script(ALWAYS_ACTIVITY, 'activity/in-use.lua'),
  };
}

export function loadWorkerScripts() {
  return {
    acquireWorker: script(WORKERS, 'workers/acquire.lua'),
    adoptWorker: script(WORKERS, 'workers/adopt.lua'),
    beatInstance: script(WORKERS, 'workers/beat.lua'),
    evictWorker: script(WORKERS, 'workers/evict.lua'),
    knownWorkers: script(WORKERS, 'workers/known.lua'),
    lookAtWorkers: script(WORKERS, 'workers/look.lua'),
    parkWorker: script(WORKERS, 'workers/park.lua'),
    readyWorker: script(WORKERS, 'workers/ready.lua'),
    releaseWorker: script(WORKERS, 'workers/release.lua'),
    reserveWorker: script(WORKERS, 'workers/reserve.lua'),
    retireWorker: script(WORKERS, 'workers/retire.lua'),
    takeOverWorkers: script(WORKERS, 'workers/take-over.lua'),
    takeWorker: script(WORKERS, 'workers/take.lua'),
    workerGone: script(WORKERS, 'workers/gone.lua'),
  };
}

function script(before: readonly string[], file: string): LuaScript {
  const text = [...before, file].map(readLua).join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

function readLua(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}
