import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { certificateFor } from '../runtime/egress/proxy/certificate.ts';
import { endProcess, startDaemon } from '../support/services/daemon.ts';
import { redisAnswers } from '../support/services/private-redis.ts';
import { recordEnding } from '../support/services/run-folder.ts';

const PORT = 6379;

export interface ElastiCache {
  /** For who may everything. */
  readonly url: string;
  /** The certificate that its clients have to trust. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** A Redis as ElastiCache has it: TLS only, on the usual port of an address of its own, a cluster of one shard. */
export async function startElastiCache(program: string): Promise<ElastiCache> {
  const folder = mkdtempSync(join(process.env.TEST_RUN_FOLDER ?? tmpdir(), 'elasticache-'));
  const file = (name: string) => join(folder, name);
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const { key, cert } = certificateFor(address);
  writeFileSync(file('key.pem'), key);
  writeFileSync(file('cert.pem'), cert);
  const password = randomBytes(16).toString('hex');
  writeFileSync(
    file('redis.conf'),
    [
      `bind ${address}`,
      `port 0\ntls-port ${PORT}\ntls-auth-clients no`,
      `tls-cert-file ${file('cert.pem')}\ntls-key-file ${file('key.pem')}\ntls-ca-cert-file ${file('cert.pem')}`,
      `dir ${folder}\nsave ""\nappendonly no`,
      `cluster-enabled yes\ncluster-announce-ip ${address}\ncluster-announce-tls-port ${PORT}\ntls-cluster yes`,
      `user operator on >${password} ~* &* +@all\n`,
    ].join('\n'),
  );
  const url = `rediss://operator:${password}@${address}:${PORT}`;
  const record = await startDaemon({
    command: [program, file('redis.conf')],
    logFile: file('redis.log'),
    recordFile: folder + recordEnding, // where a run that has to clear up looks for it
    ready: () => redisAnswers(url),
    readyWithinMs: 180_000,
  });
  const client = new Redis(url, { tls: { rejectUnauthorized: false } });
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  client.disconnect();
  return {
    url,
    certificate: cert,
    async stop() {
      await endProcess(record, 1_000);
      rmSync(folder + recordEnding, { force: true });
      rmSync(folder, { recursive: true });
    },
  };
}
