import { expect, it } from 'vitest';
import { must } from '../support/must.ts';
import { describeWith } from '../support/services/provided.ts';
import { CLUSTER, FAMILY, LOG_GROUP } from './ecs-on-docker.ts';
import { ALLOWED_FOLDER, notedActions, renderedPolicy } from './runtime-access.ts';

/** Those go to other servers than the emulator: test/infra/ecs/policies.test.ts has them. */
const ELSEWHERE = /^(s3|sts):/;

// Runs after all other files of the suite, whose emulators let the runtime do just what its policy says.

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], "the runtime's policy", () => {
  it('allows nothing that was never called in the whole suite', () => {
    const called = notedActions(must(process.env[ALLOWED_FOLDER]));
    const { Statement } = renderedPolicy(FAMILY, CLUSTER, LOG_GROUP);
    const allowed = Statement.flatMap(({ Action }) => Action).filter((action) => !ELSEWHERE.test(action));
    // With this file alone there is nothing to count.
    expect(allowed.filter((action) => !called.has(action))).toEqual([]);
  });
});
