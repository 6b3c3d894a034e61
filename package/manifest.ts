/** What we take of this repository's package.json. */
export interface Repository {
  name: string;
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
}

/** Where the runtime's program is: what goes into its image is what runs without one. */
const RUNTIME = './dist/image-contexts/runtime/bundle/runtime.mjs';

/** The published package.json: no dependencies but peers, and nothing that runs when it is installed. */
export function manifest(ours: Repository, peers: readonly string[]): object {
  const { name, version, description, license } = ours;
  const entry = (path: string) => ({ types: `${path}.d.ts`, default: `${path}.js` });
  return {
    name,
    version,
    description,
    license,
    keywords: ['pulumi', 'ai', 'agents', 'sandbox'],
    type: 'module',
    engines: { node: '>=24' },
    // What Pulumi starts as a plugin; whoever imports the package gets `exports`.
    main: './infra/plugin.js',
    types: './infra/package.d.ts',
    exports: {
      '.': entry('./infra/package'),
      './policy': entry('./infra/policy/rules'),
      './package.json': './package.json',
    },
    bin: { berth: RUNTIME },
    peerDependencies: Object.fromEntries(peers.map((peer) => [peer, `^${ours.dependencies[peer]}`])),
    peerDependenciesMeta: { '@pulumi/policy': { optional: true } },
  };
}

/** Of the folder that is a policy pack: Pulumi looks there for its version. */
export function policyManifest({ version }: Repository): object {
  return { name: 'berth-policy', version, private: true, type: 'module', main: '../infra/policy/pack.js' };
}
