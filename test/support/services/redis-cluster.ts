import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { must } from '../must.ts';
import { endProcess, type ProcessRecord, startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { redisAnswers } from './private-redis.ts';
import { recordEnding } from './run-folder.ts';

/** A cluster of one shard, a primary and its replica, that belongs to its caller. */
export class RedisCluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[];

  private constructor(nodes: readonly ClusterNode[]) {
    this.nodes = nodes;
  }

  static async start(program: string, parent: string): Promise<RedisCluster> {
    const nodes = [await ClusterNode.start(program, parent), await ClusterNode.start(program, parent)];
    const [primary, replica] = nodes.map(({ url }) => new Redis(url));
    if (primary === undefined || replica === undefined) throw new Error('a cluster has two nodes');
    await primary.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await replica.call('CLUSTER', 'MEET', '127.0.0.1', ...must(nodes[0]).ports);
    const id = String(await primary.call('CLUSTER', 'MYID'));
    await until(() => replica.call('CLUSTER', 'REPLICATE', id).then(() => true));
    for (const node of [primary, replica])
      await until(async () => /cluster_state:ok/.test(String(await node.call('CLUSTER', 'INFO'))));
    await until(async () => /master_link_status:up/.test(await replica.info('replication')));
    primary.disconnect();
    replica.disconnect();
    return new RedisCluster(nodes);
  }

  /** The replica becomes the primary, as a fail-over makes it one. */
  async failOver(to: ClusterNode): Promise<void> {
    const client = new Redis(to.url);
    await client.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await until(async () => /role:master/.test(await client.info('replication')));
    client.disconnect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }
}

class ClusterNode {
  readonly url: string;
  /** Its own, and that of the cluster's bus. */
  readonly ports: readonly string[];
  readonly #record: ProcessRecord;
  readonly #recordFile: string;

  private constructor(ports: readonly number[], record: ProcessRecord, recordFile: string) {
    const [port] = ports;
    this.ports = ports.map(String);
    this.url = `redis://127.0.0.1:${port}`;
    this.#record = record;
    this.#recordFile = recordFile;
  }

  static async start(program: string, parent: string): Promise<ClusterNode> {
    const [port, busPort] = [await freePort(), await freePort()];
    const folder = join(parent, `redis-cluster-${port}`);
    mkdirSync(folder, { recursive: true });
    const recordFile = join(parent, `redis-cluster-${port}${recordEnding}`);
    const record = await startDaemon({
      command: [
        program,
        ...['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '', '--appendonly', 'no'],
        ...['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`, '--cluster-node-timeout', '2000'],
        ...['--cluster-announce-ip', '127.0.0.1', '--cluster-announce-bus-port', `${busPort}`],
        ...['--repl-diskless-sync-delay', '0'],
      ],
      logFile: join(folder, 'redis.log'),
      recordFile,
      ready: () => redisAnswers(`redis://127.0.0.1:${port}`),
      readyWithinMs: 15_000,
    });
    return new ClusterNode([port, busPort], record, recordFile);
  }

  async kill(): Promise<void> {
    await endProcess(this.#record, 0);
    rmSync(this.#recordFile, { force: true });
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the cluster did not come together in 20 s');
    await sleep(50);
  }
}
