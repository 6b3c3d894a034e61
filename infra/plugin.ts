import { readFileSync } from 'node:fs';
import { main, type Provider } from '@pulumi/pulumi/provider/index.js';
import type { PlatformArgs } from './platform-args.ts';
import { VERSION } from './version.ts';
import { WorkspacePlatform } from './workspace-platform.ts';

// What Pulumi starts for programs in other languages. The schema is made with the package, so that nobody needs a
// TypeScript compiler to use it.

const TOKEN = 'berth:index:WorkspacePlatform';

const provider: Provider = {
  version: VERSION,
  schema: readFileSync(new URL('../schema.json', import.meta.url), 'utf8'),
  async construct(name, type, inputs, options) {
    if (type !== TOKEN) throw new Error(`Berth has no ${type}; it has ${TOKEN}.`);
    const args = inputs as unknown as PlatformArgs; // the cast: its constructor checks them
    const { urn, url, apiKey, backend, version, vpcId } = new WorkspacePlatform(name, args, options);
    return { urn, state: { url, apiKey, backend, version, ...(vpcId && { vpcId }) } };
  },
};

void main(provider, process.argv.slice(2));
