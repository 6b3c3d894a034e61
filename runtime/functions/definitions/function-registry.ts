import type { Logger } from 'pino';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { FunctionName, TenantId } from '../../contracts/ids.ts';
import type { FunctionRow, Functions } from '../../database/functions.ts';
import type { InstallationSecret } from '../../identity/installation-secret.ts';
import { chooseImage } from './choose-image.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { FunctionSettings } from './function-settings.ts';
import { type FunctionWords, withDefaults } from './function-words.ts';
import { missingFunction } from './missing-function.ts';
import { RecentDefinitions } from './recent-definitions.ts';

const MOST_OF_TENANT = 1_000;
const PAGE = 100;

interface Parts {
  functions: Functions;
  secret: InstallationSecret;
  settings: FunctionSettings;
  /**
   * Told once it is committed, here and nowhere else: for other instances, and for the workers to follow. It is only a
   * hint: who dies before it is told leaves it to the loops, which read `all`.
   */
  onDefined?: (definition: FunctionDefinition) => void;
  onDeleted?: (of: FunctionKey) => void;
  /** In milliseconds, for what is remembered. */
  now?: () => number;
  log: Logger;
}

/** The functions that tenants have defined. */
export class FunctionRegistry {
  readonly #parts: Parts;
  readonly #recent: RecentDefinitions;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#recent = new RecentDefinitions((of) => this.#read(of), parts.now);
  }

  /** Defines it anew, as a whole. What is said must be within the limits. */
  async put(
    tenant: TenantId,
    name: FunctionName,
    words: FunctionWords,
  ): Promise<{ definition: FunctionDefinition; created: boolean }> {
    const { functions, secret, settings, onDefined } = this.#parts;
    const { image, ...fixed } = chooseImage(words, settings.source);
    const { env, ...rest } = { ...withDefaults(words, settings.defaults), ...fixed };
    const of = { tenant, name };
    const revision = secret.functionRevision(canonical({ image, env, ...rest }));
    const sealedEnv = secret.sealEnvironment(ownerOf(of), JSON.stringify(env));
    const put = await functions
      .put({ ...of, ...rest, image, sealedEnv, revision }, MOST_OF_TENANT)
      .finally(() => this.changed(of)); // a failed one may have been carried out
    if (put.kind === 'over-quota') {
      const { limit, used } = put;
      const detail = `this tenant has ${used} functions, of ${limit} that it may have`;
      throw new BerthError('QUOTA_EXCEEDED', detail, { limit, used });
    }
    const definition = this.#definition(put.row);
    onDefined?.(definition);
    return { definition, created: put.kind === 'created' };
  }

  async get(tenant: TenantId, name: FunctionName): Promise<FunctionDefinition> {
    const found = await this.#read({ tenant, name });
    if (found === undefined) throw missingFunction({ name });
    return found;
  }

  async list(tenant: TenantId, page: { limit: number; after?: FunctionName }): Promise<FunctionDefinition[]> {
    const rows = await this.#parts.functions.list(tenant, page);
    return rows.map((row) => this.#definition(row));
  }

  async delete(tenant: TenantId, name: FunctionName): Promise<void> {
    const { functions, onDeleted } = this.#parts;
    const of = { tenant, name };
    const existed = await functions.delete(of).finally(() => this.changed(of));
    if (!existed) throw missingFunction({ name });
    onDeleted?.(of);
  }

  /**
   * For calls: as it was within the last second, read once for all who ask; within the last minute where the database
   * does not answer. Undefined: there is none. Throws `STORE_UNAVAILABLE` where nothing is known of it.
   */
  find(of: FunctionKey): Promise<FunctionDefinition | undefined> {
    return this.#recent.find(of);
  }

  /** Somebody has defined or deleted it: the next `find` reads it anew. */
  changed(of: FunctionKey): void {
    this.#recent.forget(of);
  }

  /** Those of all tenants, for loops. One that can't be read stops none of the others. */
  async *all(): AsyncGenerator<FunctionDefinition> {
    let after: FunctionKey | undefined;
    for (;;) {
      const rows = await this.#parts.functions.all({ limit: PAGE, ...(after && { after }) });
      for (const row of rows) {
        const definition = this.#tryDefinition(row);
        if (definition !== undefined) yield definition;
      }
      after = rows.at(-1);
      if (rows.length < PAGE) return;
    }
  }

  async #read(of: FunctionKey): Promise<FunctionDefinition | undefined> {
    const row = await this.#parts.functions.get(of);
    return row && this.#definition(row);
  }

  #definition(row: FunctionRow): FunctionDefinition {
    const { tenant, name, sealedEnv, createdAt, updatedAt, ...rest } = row;
    const of = { tenant, name };
    const env = this.#parts.secret.openEnvironment(ownerOf(of), sealedEnv);
    if (env === undefined) {
      throw new BerthError(
        'INTERNAL',
        `the environment of the function ${ownerOf(of)} does not open: it was sealed with another BERTH_SECRET, or the row was changed; define it again`,
      );
    }
    return {
      of,
      ...rest,
      env: JSON.parse(env), // as `put` wrote it: nobody else can seal
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    };
  }

  #tryDefinition(row: FunctionRow): FunctionDefinition | undefined {
    try {
      return this.#definition(row);
    } catch (error) {
      this.#parts.log.error({ err: error, tenant: row.tenant, function: row.name }, 'a function is left out');
      return undefined;
    }
  }
}

/** What workers are made from, the same text for the same. */
function canonical({
  image,
  env,
  port,
  resources: { cpus, memoryMb, pids },
}: Pick<FunctionDefinition, 'image' | 'env' | 'port' | 'resources'>): string {
  const variables = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ image, env: variables, port, resources: [cpus, memoryMb, pids] });
}

function ownerOf({ tenant, name }: FunctionKey): string {
  return `${tenant}/${name}`;
}
