import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each file breaks just the rules that stand beside it; those without are as the layers allow. */
const tree: Record<string, { code: string; breaks?: string[] }> = {
  'runtime/contracts/names.ts': { code: `export type Name = string; export const name = 'n';` },
  'runtime/contracts/with-node.ts': { code: `import 'node:fs';`, breaks: ['contracts-import-nothing'] },
  'runtime/contracts/with-zod.ts': { code: `import 'zod';`, breaks: ['contracts-import-nothing'] },
  'runtime/contracts/with-port.ts': {
    code: `import type { Store } from '../state/store.ts'; export type S = Store;`,
    breaks: ['contracts-import-nothing'],
  },

  'images/workspace-base/agent/ok.ts': {
    code: `import 'node:http'; import type { Name } from '../../../runtime/contracts/names.ts'; export type N = Name;`,
  },
  'images/workspace-base/agent/with-values.ts': {
    code: `import { name } from '../../../runtime/contracts/names.ts'; console.log(name);`,
    breaks: ['agent-takes-types-only'],
  },
  'images/workspace-base/agent/with-package.ts': {
    code: `import 'zod';`,
    breaks: ['agent-is-self-contained'],
  },
  'images/workspace-base/agent/with-port.ts': {
    code: `import type { Store } from '../../../runtime/state/store.ts'; export type S = Store;`,
    breaks: ['agent-is-self-contained'],
  },
  'images/workspace-base/agent/egress/port.ts': { code: `export const open = true;` },
  'images/workspace-base/port/with-agent.ts': {
    code: `import 'node:net'; import { open } from '../agent/egress/port.ts'; export const o = open;`,
  },
  'images/workspace-base/port/with-contract.ts': {
    code: `import { name } from '../../../runtime/contracts/names.ts'; export const n = name;`,
    breaks: ['port-is-self-contained'],
  },
  'images/workspace-editor/server/ok.ts': { code: `import 'node:http'; import 'ws';` },
  'images/workspace-editor/server/with-contracts.ts': {
    code: `import type { Name } from '../../../runtime/contracts/names.ts'; export type N = Name;`,
    breaks: ['editor-is-self-contained'],
  },
  'images/workspace-editor/page/ok.js': { code: `import './beside.js'; import './vendor/xterm.mjs';` },
  'images/workspace-editor/page/beside.js': { code: `export {};` },
  'images/workspace-editor/page/with-package.js': {
    code: `import 'zod';`,
    breaks: ['page-is-self-contained'],
  },
  'runtime/dashboard/page/views/ok.js': { code: `import '../beside.js';` },
  'runtime/dashboard/page/beside.js': { code: `export {};` },
  'runtime/dashboard/page/with-runtime.js': {
    code: `import '../../contracts/names.ts';`,
    breaks: ['dashboard-page-is-self-contained'],
  },
  'images/function-node/server/ok.ts': { code: `import 'node:http';` },
  'images/function-node/server/with-package.ts': {
    code: `import 'zod';`,
    breaks: ['function-worker-is-self-contained'],
  },
  'images/builder/engine.ts': { code: `import 'dockerode';` },

  'runtime/state/store.ts': { code: `export interface Store { size: number }` },
  'runtime/state/redis/adapter.ts': {
    code: `import 'ioredis'; import type { Store } from '../store.ts'; export type R = Store;`,
  },
  'runtime/state/memory/adapter.ts': {
    code: `import type { R } from '../redis/adapter.ts'; export type M = R;`,
    breaks: ['adapters-apart'],
  },
  'runtime/state/with-column.ts': {
    code: `import '../conversations/ok.ts';`,
    breaks: ['ports-below-columns'],
  },
  'runtime/containers/docker/adapter.ts': { code: `import 'dockerode';` },
  'runtime/containers/docker/with-redis.ts': {
    code: `import '../../state/redis/adapter.ts';`,
    breaks: ['adapters-apart'],
  },
  'runtime/containers/process/adapter.ts': {
    code: `import 'dockerode';`,
    breaks: ['dockerode-in-its-adapter-only'],
  },

  'runtime/client/ok.ts': { code: `export {};` },
  'runtime/client/with-ok.ts': { code: `import './ok.ts';` },
  'runtime/client/with-node.ts': { code: `import 'node:fs';`, breaks: ['client-is-self-contained'] },
  'runtime/client/with-package.ts': { code: `import 'zod';`, breaks: ['client-is-self-contained'] },
  'runtime/client/with-contracts.ts': {
    code: `import type { Name } from '../contracts/names.ts'; export type N = Name;`,
    breaks: ['client-is-self-contained'],
  },
  'runtime/cli/with-client.ts': { code: `import '../client/ok.ts';` },
  'runtime/with-client.ts': { code: `import './client/ok.ts';`, breaks: ['client-is-for-users'] },
  'runtime/conversations/with-client.ts': {
    code: `import '../client/ok.ts';`,
    breaks: ['client-is-for-users'],
  },

  'runtime/conversations/ok.ts': {
    code: `import type { Store } from '../state/store.ts'; export type S = Store;`,
  },
  'runtime/conversations/with-adapter.ts': {
    code: `import('../state/redis/adapter.ts');`,
    breaks: ['adapters-by-their-ports'],
  },
  'runtime/conversations/with-aws.ts': {
    code: `import '@aws-sdk/client-s3';`,
    breaks: ['aws-sdk-in-its-adapter-only'],
  },
  'runtime/database/postgres/adapter.ts': { code: `import 'pg';` },
  'runtime/workspaces/with-pg.ts': { code: `import 'pg';`, breaks: ['pg-in-its-adapter-only'] },
  'runtime/conversations/with-ioredis.ts': {
    code: `import 'ioredis';`,
    breaks: ['ioredis-in-its-adapter-only'],
  },
  'runtime/http/documentation/with-marked.ts': { code: `import 'marked';` },
  'runtime/http/with-marked.ts': { code: `import 'marked';`, breaks: ['marked-for-documentation-only'] },
  'runtime/conversations/with-express.ts': {
    code: `import type { Request } from 'express'; export type R = Request;`,
    breaks: ['express-in-http-only'],
  },
  'runtime/conversations/with-http.ts': { code: `import '../http/app.ts';`, breaks: ['http-on-top'] },
  'runtime/conversations/with-workspaces.ts': {
    code: `import '../workspaces/ok.ts';`,
    breaks: ['conversations-stand-alone'],
  },
  'runtime/workspaces/ok.ts': { code: `export {};` },
  'runtime/workspaces/with-functions.ts': {
    code: `import '../functions/ok.ts';`,
    breaks: ['workspaces-stand-alone'],
  },
  'runtime/functions/ok.ts': { code: `export {};` },
  'runtime/functions/with-conversations.ts': {
    code: `import '../conversations/ok.ts';`,
    breaks: ['functions-stand-alone'],
  },
  'runtime/egress/with-state.ts': { code: `import '../state/store.ts';`, breaks: ['egress-is-small'] },

  'runtime/http/app.ts': { code: `import 'express'; import '../conversations/ok.ts';` },
  'runtime/build-runtime.ts': {
    code: `import './http/app.ts'; import './state/redis/adapter.ts'; import './containers/docker/adapter.ts';`,
  },
  'runtime/with-adapter.ts': {
    code: `import './state/redis/adapter.ts';`,
    breaks: ['adapters-by-their-ports'],
  },
  'runtime/with-images.ts': {
    code: `import '../images/builder/engine.ts';`,
    breaks: ['runtime-stands-alone'],
  },
  'runtime/with-test.ts': { code: `import '../test/ok.ts';`, breaks: ['runtime-stands-alone'] },
  'runtime/with-dev-dependency.ts': {
    code: `import 'fast-check';`,
    breaks: ['no-dev-dependencies-in-runtime'],
  },
  'runtime/http1/head.ts': { code: `export const most = 1;` },
  'runtime/http1/with-others.ts': {
    code: `import '../contracts/names.ts';`,
    breaks: ['http1-is-a-library'],
  },
  'runtime/with-undeclared.ts': { code: `import 'undici-types';`, breaks: ['no-undeclared-packages'] },
  'runtime/with-nothing-there.ts': { code: `import './absent.ts';`, breaks: ['resolvable'] },
  'runtime/cycle-a.ts': {
    code: `import type { B } from './cycle-b.ts'; export type A = B[];`,
    breaks: ['no-cycles'],
  },
  'runtime/cycle-b.ts': { code: `import type { A } from './cycle-a.ts'; export type B = A[];` },

  'infra/ok.ts': { code: `import { name } from '../runtime/contracts/names.ts'; console.log(name);` },
  'infra/with-runtime.ts': {
    code: `import '../runtime/state/store.ts';`,
    breaks: ['infra-takes-contracts-only'],
  },
  'test/ok.ts': { code: `import 'ioredis'; import 'dockerode'; import '../runtime/state/redis/adapter.ts';` },
};

describe('the import rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-import-rules-'));
  const broken = new Map<string, Set<string>>();

  beforeAll(async () => {
    for (const [file, { code }] of Object.entries(tree)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), code);
    }
    for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs'])
      cpSync(join(root, file), join(folder, file));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const violation of await cruise()) {
      broken.set(violation.from, (broken.get(violation.from) ?? new Set()).add(violation.rule.name));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  async function cruise(): Promise<{ from: string; rule: { name: string } }[]> {
    const args = ['--output-type', 'json', 'runtime', 'infra', 'images', 'test'];
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(
      join(root, 'node_modules/.bin/depcruise'),
      args,
      { cwd: folder, maxBuffer: 2 ** 26 },
      (_, stdout) => resolve(stdout),
    );
    return JSON.parse(await promise).summary.violations;
  }

  it.each(Object.entries(tree))('judge %s', (file, { breaks = [] }) => {
    expect([...(broken.get(file) ?? [])].sort()).toEqual([...breaks].sort());
  });

  it('are all tried here', async () => {
    const { default: config } = await import(join(root, '.dependency-cruiser.cjs'));
    const tried = new Set(Object.values(tree).flatMap(({ breaks = [] }) => breaks));
    expect(
      config.forbidden.map(({ name }: { name: string }) => name).filter((name: string) => !tried.has(name)),
    ).toEqual([]);
  });
});
