import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall } from '../../../images/builder/apt.ts';
import { findProgram } from '../../../images/builder/find-program.ts';
import { nothingToStop, type Service } from './service.ts';

/** Where Debian keeps each version's programs, which is on nobody's path. */
const VERSIONS = '/usr/lib/postgresql';

/** The programs: for the run's own Postgres, and for tests that start one of their own to stop or pause it. */
export const postgresServer: Service = {
  name: 'postgres-server',
  neededBy: 'outages of Postgres, and the Postgres of the run unless TEST_POSTGRES_URL names one',
  remedy: 'put postgres and initdb (15 or later) on the path',
  async start({ say }) {
    // `pg_ctlcluster` comes with any version of the server.
    const path = initdb() ?? (await afterInstalling(say));
    if (typeof path !== 'string') return { missing: path.problem };
    return { env: { TEST_POSTGRES_SERVER: join(path, '..') }, stop: nothingToStop };
  },
};

async function afterInstalling(say: (line: string) => void): Promise<string | { problem: string }> {
  const found = await findOrInstall('pg_ctlcluster', ['postgresql'], say);
  if ('problem' in found) return found;
  return initdb() ?? { problem: 'the package postgresql brought no initdb' };
}

function initdb(): string | undefined {
  const onPath = findProgram('initdb');
  if (onPath !== undefined) return onPath;
  try {
    const newest = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a))[0];
    return newest === undefined ? undefined : join(VERSIONS, newest, 'bin', 'initdb');
  } catch {
    return undefined;
  }
}
