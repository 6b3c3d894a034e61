import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Task } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../must.ts';
import { ArrangedEmulator } from '../arranged-emulator.ts';
import { stubBacking } from './stub-backing.ts';

const PORT = 9000;

/** A server that tells its environment. */
async function startAgent(at: {
  address: string;
  environment: Readonly<Record<string, string>>;
}): Promise<AsyncDisposable> {
  const server = createServer((_, response) => void response.end(JSON.stringify(at.environment)));
  server.listen(PORT, at.address);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a task without containers', () => {
  let arranged: ArrangedEmulator;
  beforeEach(async () => {
    arranged = await ArrangedEmulator.start({ backing: stubBacking({ startAgent }) });
    await arranged.register({
      containerDefinitions: [{ name: 'app', image: 'app', environment: [{ name: 'A', value: '1' }] }],
    });
  });
  afterEach(() => arranged[Symbol.asyncDispose]());

  const urlOf = ({ attachments }: Task): string => {
    const details = attachments?.[0]?.details ?? [];
    return `http://${must(details.find(({ name }) => name === 'privateIPv4Address')).value}:${PORT}/`;
  };
  const running = async (value: string): Promise<{ arn: string; url: string }> => {
    const containerOverrides = [{ name: 'app', environment: [{ name: 'B', value }] }];
    const arn = await arranged.run({ overrides: { containerOverrides } });
    return { arn, url: urlOf(await arranged.reached(arn, 'RUNNING')) };
  };

  it('has an agent on an address of its own, which knows the environment of its task', async () => {
    const [one, two] = [await running('one'), await running('two')];
    expect(await (await fetch(one.url)).json()).toEqual({ A: '1', B: 'one' });
    expect(await (await fetch(two.url)).json()).toEqual({ A: '1', B: 'two' });
  });

  it('answers no more once it has stopped', async () => {
    const { arn, url } = await running('one');
    arranged.emulator.stopFromOutside(arn);
    await arranged.reached(arn, 'STOPPED');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('leaves its address to another task where that is asked for', async () => {
    const before = await running('before');
    arranged.emulator.stopFromOutside(before.arn);
    await arranged.reached(before.arn, 'STOPPED');
    arranged.emulator.reuseAddresses();
    const after = await running('after');
    expect(after.url).toBe(before.url);
    expect(await (await fetch(before.url)).json()).toMatchObject({ B: 'after' });
  });
});
