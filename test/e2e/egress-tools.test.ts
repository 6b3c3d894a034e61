import { expect, it } from 'vitest';
import { onEngine } from '../support/container-place.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { Upstream } from '../support/upstream.ts';
import { toolsGetOut } from './egress-tools.e2e.ts';

describeWith(
  ['docker', 'workspace-base-image'],
  'through the egress proxy, in a container without a network',
  () => {
    toolsGetOut(onEngine);

    // A task on ECS has a network, which its security group keeps.
    it('there is no other way out', async () => {
      await using upstream = await Upstream.start();
      const origin = `http://${upstream.authority}/`;
      await using runtime = await RuntimeProcess.start({
        env: { ...onEngine().env, EGRESS_ALLOWED_DOMAINS: `internal:${upstream.authority}` },
      });
      const curl = ['curl', '-sS', '--max-time', '5'];
      const tried = await runtime.exec('tools', [...curl, '--noproxy', '*', origin]);
      expect(tried.exit_code).not.toBe(0);
      expect(upstream.seen).toEqual([]);
      expect(await runtime.exec('tools', [...curl, origin])).toMatchObject({ stdout: 'GET /\n' });
    });
  },
);
