import { describe, expect, it } from 'vitest';
import {
  DEFAULT,
  plainVariables,
  type RuntimeEnvironment,
  secretVariables,
} from '../../infra/runtime-environment.ts';
import { VARIABLES, type VariableName } from '../../runtime/contracts/environment.ts';
import { SECRET_VARIABLES } from '../../runtime/contracts/secret-variables.ts';

const names = Object.keys(VARIABLES) as VariableName[]; // the table's own keys
// The cast: made from the table's own keys.
const nothing = Object.fromEntries(names.map((name) => [name, DEFAULT])) as RuntimeEnvironment<{
  arn: string;
}>;

describe("the runtime's environment", () => {
  it('has as secrets exactly what the table of variables says', () => {
    const secret = names.filter((name) => VARIABLES[name].secret);
    expect([...SECRET_VARIABLES].sort()).toEqual(secret.sort());
  });

  it('gives what is set, secrets apart from the rest', () => {
    const environment = {
      ...nothing,
      PORT: '7420',
      CONTAINER_MANAGER_TYPE: 'ecs',
      BERTH_SECRET: { arn: 'arn:secret' },
    };
    expect(plainVariables(environment)).toEqual([
      { name: 'CONTAINER_MANAGER_TYPE', value: 'ecs' },
      { name: 'PORT', value: '7420' },
    ]);
    expect(secretVariables(environment)).toEqual([{ name: 'BERTH_SECRET', value: { arn: 'arn:secret' } }]);
  });

  it('does not compile with a variable left out, one too many, or a secret in the clear', () => {
    const { PORT: _port, ...lessOne } = nothing;
    // @ts-expect-error PORT is not decided about
    const missing: RuntimeEnvironment<{ arn: string }> = lessOne;
    // @ts-expect-error the runtime has no such variable
    const unknown: RuntimeEnvironment<{ arn: string }> = { ...nothing, PROT: '7420' };
    // @ts-expect-error it wants the place of a secret
    const clear: RuntimeEnvironment<{ arn: string }> = { ...nothing, BERTH_SECRET: 'ab'.repeat(32) };
    // @ts-expect-error it is no secret, and read as a text
    const hidden: RuntimeEnvironment<{ arn: string }> = { ...nothing, PORT: { arn: 'arn:port' } };
    expect([missing, unknown, clear, hidden]).toHaveLength(4);
  });
});
