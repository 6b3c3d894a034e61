import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import pg from 'pg';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { OwnSchema } from '../contract/database/database-under-test.ts';
import { Cluster } from './cluster.ts';
import { inVolume, type RunInHome } from './home-tree.ts';
import {
  docker,
  editorImage,
  type ProvidedService,
  postgres,
  redis,
  workspaceImage,
} from './services/provided.ts';

/** What it needs of a run. */
export const WORKSPACE_SERVICES = [
  'docker',
  'redis',
  's3',
  'postgres',
  'workspace-base-image',
  'workspace-editor-image',
] as const satisfies ProvidedService[];

/** An installation with workspaces: a cluster of runtimes over a Postgres schema of its own. */
export class WorkspaceCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly engine: Docker = connectEngine(docker().host);
  readonly #schema: OwnSchema;

  private constructor(schema: OwnSchema, redisUrl: string, env: Record<string, string>) {
    this.#schema = schema;
    this.cluster = new Cluster(redisUrl, {
      DATABASE_URL: schema.url,
      DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
      MAX_RUNNING_WORKSPACES_PER_KEY: '20',
      // Soon, so that a test sees what otherwise takes minutes.
      RECONCILE_INTERVAL_SECONDS: '1',
      WORKSPACE_OBSERVE_SECONDS: '1',
      TTL_MANAGER_INTERVAL: '1',
      ...env,
    });
  }

  static async open(
    env: Record<string, string> = {},
    { redisUrl = redis().url, postgresUrl = postgres().url } = {},
  ): Promise<WorkspaceCluster> {
    return new WorkspaceCluster(await OwnSchema.make(postgresUrl), redisUrl, env);
  }

  /** A name that nobody else on the engine has. */
  name(word = 'w'): string {
    return `${word}-${randomBytes(4).toString('hex')}`;
  }

  /** In a workspace's home, whether or not it runs. */
  home(id: string): RunInHome {
    return inVolume(this.engine, workspaceImage(), `ws-${id}-home`);
  }

  /** The engine's ids of the workspace's own container. */
  async containers(id: string): Promise<string[]> {
    const label = [`${LABEL.installation}=${this.cluster.installation}`, `${LABEL.workspaceId}=${id}`];
    const found = await this.engine.listContainers({ all: true, filters: { label } });
    return found.filter(({ Names }) => Names.includes(`/ws-${id}`)).map(({ Id }) => Id);
  }

  async hasVolume(id: string): Promise<boolean> {
    const found = await this.engine.listVolumes({ filters: { name: [`ws-${id}-home`] } });
    return found.Volumes.some(({ Name }) => Name === `ws-${id}-home`);
  }

  /** What the database has: for what only time brings about otherwise. */
  async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#schema.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** What failed is due again at once. */
  async isDue(id: string): Promise<void> {
    await this.sql('UPDATE workspaces SET retry_at = 0 WHERE id = $1 AND retry_at IS NOT NULL', [id]);
  }

  /** Nobody was there for longer than any TTL. */
  async isLeft(id: string): Promise<void> {
    await this.sql('UPDATE workspaces SET last_access_at = 0 WHERE id = $1', [id]);
  }

  /** Whoever is at it was silent for longer than is waited for. */
  async silence(id: string): Promise<void> {
    await this.sql(
      'UPDATE workspaces SET op_heartbeat_at = 0 WHERE id = $1 AND op_heartbeat_at IS NOT NULL',
      [id],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    const label = [`${LABEL.installation}=${this.cluster.installation}`];
    const { Volumes } = await this.engine.listVolumes({ filters: { label } });
    for (const { Name } of Volumes) await this.engine.getVolume(Name).remove({ force: true });
    await this.#schema.remove();
  }
}
