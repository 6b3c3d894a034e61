import { type Logger, pino } from 'pino';
import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import { type FunctionName, parseFunctionName, parseTenantId } from '../../../../runtime/contracts/ids.ts';
import { loadConfig } from '../../../../runtime/contracts/load-config.ts';
import type { BackendName } from '../../../../runtime/contracts/variable.ts';
import type { Database } from '../../../../runtime/database/database.ts';
import type { FunctionDefinition } from '../../../../runtime/functions/definitions/function-definition.ts';
import { FunctionRegistry } from '../../../../runtime/functions/definitions/function-registry.ts';
import {
  type FunctionSettings,
  functionSettings,
} from '../../../../runtime/functions/definitions/function-settings.ts';
import { InstallationSecret } from '../../../../runtime/identity/installation-secret.ts';
import { must } from '../../../support/must.ts';

export const tenant = must(parseTenantId('acme'));
export const stranger = must(parseTenantId('other'));
export const functionName = (name = 'hello'): FunctionName => must(parseFunctionName(name));
export const functionKey = (name = 'hello'): FunctionKey => ({ tenant, name: functionName(name) });

/** What the operator says by default, but for these variables. */
export function settingsOf(
  env: Record<string, string> = {},
  backend: BackendName = 'docker',
  taskDefinitions: readonly string[] = [],
): FunctionSettings {
  const arn = (name: string) => `arn:aws:ecs:us-east-1:123456789012:task-definition/${name}`;
  const listed = taskDefinitions.map((name) => `${name}=${arn(name)}:8080`).join(',');
  const loaded = loadConfig(listed === '' ? env : { ...env, ECS_FUNCTION_TASK_DEFINITIONS: listed });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return functionSettings(loaded.config, backend);
}

interface Changes {
  settings?: FunctionSettings;
  /** Each byte of the installation's secret. */
  secret?: number;
  now?: () => number;
  log?: Logger;
  onDefined?: (definition: FunctionDefinition) => void;
  onDeleted?: (of: FunctionKey) => void;
}

export function registryOf(
  { functions }: Pick<Database, 'functions'>,
  { settings = settingsOf(), secret = 7, log = pino({ level: 'silent' }), ...rest }: Changes = {},
): FunctionRegistry {
  return new FunctionRegistry({
    functions,
    secret: new InstallationSecret(Buffer.alloc(32, secret)),
    settings,
    log,
    ...rest,
  });
}
