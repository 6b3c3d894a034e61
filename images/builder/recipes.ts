import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  VENDOR_LICENCES as DASHBOARD_LICENCES,
  vendorFiles as dashboardFiles,
} from '../../runtime/dashboard/vendor-files.ts';
import { VENDOR_LICENCES, vendorFiles } from '../workspace-editor/server/vendor-files.ts';
import type { BundleRequest } from './bundle.ts';

export interface Recipe {
  readonly name: string;
  /** Has the Dockerfile and the rest of `files`. */
  readonly folder: string;
  readonly files: readonly string[];
  /** The image's own program, where that is ours to bundle: it is `bundle/` in the build context. */
  readonly program?: Omit<BundleRequest, 'folder'>;
}

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Every image of this repository. */
export const recipes: readonly Recipe[] = [
  {
    name: 'workspace-base',
    folder: at('workspace-base'),
    files: ['Dockerfile', 'packages.txt'],
    program: {
      entry: at('workspace-base/agent/main.ts'),
      name: 'agent.mjs',
      oneFile: true,
      readsFrom: [at('workspace-base/agent/terminals')],
      besides: [
        { entry: at('workspace-base/runners/messages/main.ts'), name: 'runners/messages.mjs' },
        { entry: at('workspace-base/port/main.ts'), name: 'port.mjs' },
        { entry: at('workspace-base/volume/main.ts'), name: 'volume.mjs' },
      ],
    },
  },
  {
    name: 'workspace-editor',
    folder: at('workspace-editor'),
    files: ['Dockerfile', 'packages.txt'],
    program: {
      entry: at('workspace-editor/server/main.ts'),
      name: 'editor.mjs',
      readsFrom: [
        at('workspace-editor/page'),
        at('workspace-editor/server/terminals'),
        ...[...vendorFiles().values(), ...VENDOR_LICENCES].map((file) => at(`../node_modules/${file}`)),
      ],
    },
  },
  {
    name: 'function-node',
    folder: at('function-node'),
    files: ['Dockerfile'],
    program: { entry: at('function-node/server/main.ts'), name: 'worker.mjs', oneFile: true },
  },
  {
    name: 'function-python',
    folder: at('function-python'),
    files: ['Dockerfile', 'packages.txt', 'server'],
  },
  {
    name: 'runtime',
    folder: at('runtime'),
    files: ['Dockerfile', 'health-check.mjs'],
    program: {
      entry: at('../runtime/main.ts'),
      name: 'runtime.mjs',
      readsFrom: [
        at('../runtime'),
        at('../docs'),
        at('../CHANGELOG.md'),
        ...[...dashboardFiles().values(), ...DASHBOARD_LICENCES].map((file) => at(`../node_modules/${file}`)),
      ],
      besides: [{ entry: at('../runtime/egress/host-main.ts'), name: 'files/runtime/egress/host-main.mjs' }],
    },
  },
  {
    name: 'proxy-sidecar',
    folder: at('proxy-sidecar'),
    files: ['Dockerfile', 'health-check.mjs'],
    program: {
      entry: at('../runtime/egress/sidecar-main.ts'),
      name: 'proxy-sidecar.mjs',
      oneFile: true,
      besides: [{ entry: at('../runtime/egress/service-main.ts'), name: 'proxy-service.mjs' }],
    },
  },
];

export function findRecipe(name: string): Recipe {
  const recipe = recipes.find((candidate) => candidate.name === name);
  if (recipe === undefined) throw new Error(`No image is called ${name}.`);
  return recipe;
}

/** Debian's packages in a workspace; a base that has them all spares the build its network. */
export function workspacePackages(): string[] {
  return readFileSync(at('workspace-base/packages.txt'), 'utf8').trim().split('\n');
}
