import { randomBytes } from 'node:crypto';
import {
  docker,
  editorImage,
  functionNodeImage,
  functionPythonImage,
  type ProvidedService,
  proxyImage,
  workspaceImage,
} from '../services/provided.ts';
import { SharedStores } from './shared-stores.ts';

/** What a page needs to be run apart from everything else on the machine. */
export interface PageSetting {
  /** What it calls itself in the engine. */
  own: string;
  env: Readonly<Record<string, string>>;
  /** Words of the page, and what is run in their place: names, ports and folders of a machine that others use, too. */
  instead: Readonly<Record<string, string>>;
  /** The page is for readers who have started the service already. */
  started: boolean;
  close(): Promise<void>;
}

interface Exception {
  /** Besides the usual ones. */
  services?: readonly ProvidedService[];
  instead?: (words: { own: string; version: string; folder: string }) => Record<string, string>;
  started?: boolean;
  /** Redis, Postgres and S3, which the reader has given to the service, or which the page itself names. */
  stores?: 'given' | 'named by the page';
}

const USUAL_SERVICES: readonly ProvidedService[] = [
  'docker',
  'workspace-base-image',
  'workspace-editor-image',
  'function-node-image',
  'function-python-image',
];

const STORES: readonly ProvidedService[] = ['redis-server', 'postgres', 's3'];

/** Ids of workspaces are names in the engine. */
function workspaceNamed(name: string, own: string): Record<string, string> {
  return {
    [`"id": "${name}"`]: `"id": "${own}"`,
    [`"id":"${name}"`]: `"id":"${own}"`,
    [`workspaces/${name}`]: `workspaces/${own}`,
    [`/w/${name}/`]: `/w/${own}/`,
  };
}

/** With a tag, or as a list of what is allowed has them. */
function imagesNamed(names: readonly string[], own: string): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}:1`, `${own}-${name}:1`],
      [`=${name}`, `=${own}-${name}`],
    ]),
  );
}

/** A page that is not here is run as its readers have it: on Docker, with a service that they have started. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'README.md': { instead: ({ own }) => workspaceNamed('notes', own) },
  'docs/first-conversation.md': { started: false },
  'docs/guides/workspaces.md': { instead: ({ own }) => workspaceNamed('notes', own) },
  'docs/guides/own-image.md': {
    instead: ({ own }) => ({
      ...imagesNamed(['my-agent', 'my-function', 'my-editor'], own),
      ...workspaceNamed('first', own),
    }),
  },
  'docs/guides/deploying.md': { instead: ({ own }) => ({ 'berth-dev': own }) },
  'docs/guides/runners.md': { instead: ({ own }) => imagesNamed(['my-runner'], own) },
  'docs/guides/egress.md': {
    services: ['proxy-sidecar-image'],
    instead: ({ own, version }) => ({
      'berth-proxy': own,
      '-p 8080:8080 -p 8081:8081': '-p 127.0.0.1::8080 -p 127.0.0.1::8081',
      [`proxy-sidecar:${version}`]: proxyImage(),
    }),
  },
  'docs/guides/operations.md': { services: STORES, stores: 'given' },
  'docs/guides/running.md': {
    services: STORES,
    stores: 'named by the page',
    instead: ({ folder, own }) => ({
      'PORT=7421': 'PORT=0',
      'PORT=7422': 'PORT=0',
      '/etc/berth/keys.json': 'keys.json',
      '/var/lib/berth': `${folder}/data`,
      '/var/run/berth': `${folder}/sockets`,
      'BERTH_INSTALLATION=prod': `BERTH_INSTALLATION=${own}`,
    }),
  },
  'docs/guides/ecs.md': {
    services: ['proxy-sidecar-image'],
    started: false,
    instead: () => ({
      '-- --fast': `-- --fast --port 0 --agent-image ${workspaceImage()} --sidecar-image ${proxyImage()}`,
    }),
  },
};

export function servicesOf(page: string): ProvidedService[] {
  return [...USUAL_SERVICES, ...(EXCEPTIONS[page]?.services ?? [])];
}

/** Opens what the page needs; `folder` is a place for what it would put among the machine's own files. */
export async function settingOf(page: string, version: string, folder: string): Promise<PageSetting> {
  const { instead, started = true, stores } = EXCEPTIONS[page] ?? {};
  const own = `docs-${randomBytes(4).toString('hex')}`;
  const opened = stores === undefined ? undefined : await SharedStores.open(own);
  return {
    own,
    started,
    env: {
      ...usualEnvironment(own),
      ...opened?.credentials,
      ...(stores === 'given' ? { ...opened?.variables, BERTH_SECRET: randomBytes(32).toString('hex') } : {}),
    },
    instead: {
      ...imagesByDocumentedName(version),
      ...(stores === 'named by the page' ? opened?.documented : {}),
      ...instead?.({ own, version, folder }),
    },
    close: async () => opened?.close(),
  };
}

/** The service as people have it, on Docker, with images of the sources as they are. */
function usualEnvironment(own: string): Record<string, string> {
  return {
    DOCKER_HOST: docker().host,
    PORT: '0',
    BERTH_INSTALLATION: own,
    WORKSPACE_IMAGE: workspaceImage(),
    DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
    OWN_IMAGES: `function-node=${functionNodeImage()},function-python=${functionPythonImage()}`,
    WARM_POOL_MIN_SIZE: '1',
    WARM_POOL_MAX_SIZE: '1',
    GRACE_PERIOD_SECONDS: '5',
  };
}

/** Our images by the names that a page has for them. */
function imagesByDocumentedName(version: string): Record<string, string> {
  const images = [workspaceImage(), editorImage(), functionNodeImage(), functionPythonImage()];
  return Object.fromEntries(images.map((image) => [`${image.split(':')[0]}:${version}`, image]));
}
