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

export function loadScripts() {
  const prelude = readLua('prelude.lua');
  const script = (file: string): LuaScript => {
    const text = `${prelude}\n${readLua(file)}`;
    return { text, sha: createHash('sha1').update(text).digest('hex') };
  };
  return {
    acquire: script('acquire.lua'),
    beginDrain: script('begin-drain.lua'),
    beginWork: script('begin-work.lua'),
    bind: script('bind.lua'),
    confirm: script('confirm.lua'),
    count: script('count.lua'),
    due: script('due.lua'),
    endWork: script('end-work.lua'),
    findByContainer: script('find-by-container.lua'),
    get: script('get.lua'),
    list: script('list.lua'),
    now: script('now.lua'),
    release: script('release.lua'),
    remove: script('remove.lua'),
    renewPreparation: script('renew-preparation.lua'),
    renewWork: script('renew-work.lua'),
    workInFlight: script('work-in-flight.lua'),
  };
}

function readLua(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}
