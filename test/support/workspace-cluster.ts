import pg from 'pg';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { OwnSchema } from '../contract/database/database-under-test.ts';
import { CLUSTER_SERVICES, DatabaseCluster } from './database-cluster.ts';
import { inVolume, type RunInHome } from './home-tree.ts';
import { editorImage, type ProvidedService, postgres, redis, workspaceImage } from './services/provided.ts';

/** What it needs of a run. */
export const WORKSPACE_SERVICES = [
  ...CLUSTER_SERVICES,
  'workspace-editor-image',
] as const satisfies ProvidedService[];

/** An installation with workspaces. */
export class WorkspaceCluster extends DatabaseCluster {
  static async open(
    env: Record<string, string> = {},
    { redisUrl = redis().url, postgresUrl = postgres().url } = {},
  ): Promise<WorkspaceCluster> {
    return new WorkspaceCluster(await OwnSchema.make(postgresUrl), redisUrl, {
      DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
      MAX_RUNNING_WORKSPACES_PER_KEY: '20',
      // Soon, so that a test sees what otherwise takes minutes.
      RECONCILE_INTERVAL_SECONDS: '1',
      WORKSPACE_OBSERVE_SECONDS: '1',
      TTL_MANAGER_INTERVAL: '1',
      ...env,
    });
  }

  /** In a workspace's home, whether or not it runs. */
  home(id: string): RunInHome {
    return inVolume(this.engine, workspaceImage(), `ws-${id}-home`);
  }

  /** The engine's ids of the workspace's own container. */
  async containers(id: string): Promise<string[]> {
    const found = await this.labelled(LABEL.workspaceId, id);
    return found.filter(({ Names }) => Names.includes(`/ws-${id}`)).map(({ Id }) => Id);
  }

  async hasVolume(id: string): Promise<boolean> {
    const found = await this.engine.listVolumes({ filters: { name: [`ws-${id}-home`] } });
    return found.Volumes.some(({ Name }) => Name === `ws-${id}-home`);
  }

  /** What the database has: for what only time brings about otherwise. */
  async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.schema.url });
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
}
