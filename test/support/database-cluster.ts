import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import type { OwnSchema } from '../contract/database/database-under-test.ts';
import { Cluster } from './cluster.ts';
import { docker, type ProvidedService } from './services/provided.ts';

/** What it needs of a run, whatever it is to run. */
export const CLUSTER_SERVICES = [
  'docker',
  'redis',
  's3',
  'postgres',
  'workspace-base-image',
] as const satisfies ProvidedService[];

/** A cluster of runtimes over a Postgres schema of its own, which goes with it. */
export class DatabaseCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly engine: Docker = connectEngine(docker().host);
  readonly schema: OwnSchema;

  constructor(schema: OwnSchema, redisUrl: string, env: Record<string, string>) {
    this.schema = schema;
    this.cluster = new Cluster(redisUrl, { DATABASE_URL: schema.url, ...env });
  }

  /** A name that nobody else on the engine has. */
  name(word = 'w'): string {
    return `${word}-${randomBytes(4).toString('hex')}`;
  }

  /** The engine's containers of this installation that have the label, in whatever state. */
  labelled(label: string, value: string): Promise<Docker.ContainerInfo[]> {
    const all = [`${LABEL.installation}=${this.cluster.installation}`, `${label}=${value}`];
    return this.engine.listContainers({ all: true, filters: { label: all } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    const label = [`${LABEL.installation}=${this.cluster.installation}`];
    const { Volumes } = await this.engine.listVolumes({ filters: { label } });
    for (const { Name } of Volumes) await this.engine.getVolume(Name).remove({ force: true });
    await this.schema.remove();
  }
}
