import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { certificateFor } from '../runtime/egress/proxy/certificate.ts';
import { endProcess, startDaemon } from '../support/services/daemon.ts';
import { ordinaryUser } from '../support/services/private-postgres.ts';
import { recordEnding } from '../support/services/run-folder.ts';

const PORT = 5432;

export interface Rds {
  /** For who may everything. */
  readonly url: string;
  /** The certificate that its clients have to trust. */
  readonly certificate: string;
  /** How many tables a role has in a database, once it can be asked. */
  tablesOf(role: string, database: string): Promise<number>;
  stop(): Promise<void>;
}

/** A Postgres as RDS has it: TLS and passwords only, on the usual port of an address of its own. */
export async function startRds(programs: string): Promise<Rds> {
  const parent = process.env.TEST_RUN_FOLDER ?? tmpdir();
  const folder = mkdtempSync(join(parent, 'rds-'));
  const file = (name: string) => join(folder, name);
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const { key, cert } = certificateFor(address);
  const password = randomBytes(16).toString('hex');
  for (const [name, content] of Object.entries({ 'key.pem': key, 'cert.pem': cert, password }))
    writeFileSync(file(name), content, { mode: 0o600 });
  writeFileSync(file('access'), 'hostssl all all 127.0.0.0/8 scram-sha-256\n', { mode: 0o600 });
  const asUser = await ordinaryUser(parent, folder);
  const { uid, gid } = statSync(folder);
  for (const name of readdirSync(folder)) chownSync(file(name), uid, gid);
  chmodSync(folder, 0o700);
  const [init = '', ...args] = [...asUser, join(programs, 'initdb')];
  const who = ['-U', 'operator', `--pwfile=${file('password')}`, '--auth=scram-sha-256'];
  await promisify(execFile)(init, [...args, '-D', file('data'), ...who, '--no-sync', '--locale=C']);
  const url = `postgres://operator:${password}@${address}:${PORT}/postgres`;
  const ask = async <T>(database: string, act: (client: pg.Client) => Promise<T>): Promise<T> => {
    const connectionString = url.replace(/postgres$/, database);
    const client = new pg.Client({ connectionString, ssl: { ca: cert }, connectionTimeoutMillis: 60_000 });
    client.on('error', () => {}); // told by the query
    try {
      await client.connect();
      return await act(client);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const settings = ['fsync=off', 'ssl=on', `ssl_cert_file=${file('cert.pem')}`];
  settings.push(`ssl_key_file=${file('key.pem')}`, `hba_file=${file('access')}`);
  const [first = '', ...rest] = [...asUser, join(programs, 'postgres')];
  const record = await startDaemon({
    command: [
      first,
      ...rest,
      ...['-D', file('data'), '-h', address, '-p', `${PORT}`, '-k', ''],
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    logFile: `${folder}.log`,
    recordFile: folder + recordEnding, // where a run that has to clear up looks for it
    ready: () => ask('postgres', async () => true).catch(() => false),
    readyWithinMs: 180_000,
  });
  return {
    url,
    certificate: cert,
    tablesOf: (role, database) =>
      ask(database, async (client) => {
        const { rows } = await client.query('SELECT 1 FROM pg_tables WHERE tableowner = $1', [role]);
        return rows.length;
      }),
    async stop() {
      await endProcess(record, 5_000);
      rmSync(folder + recordEnding, { force: true });
      rmSync(folder, { recursive: true });
    },
  };
}
