import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  CHECKPOINTS,
  FUNCTION_CHECKPOINTS,
  WORKSPACE_CHECKPOINTS,
} from '../../runtime/lifecycle/checkpoint.ts';
import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { deathsAtCheckpoints } from './suites/deaths-at-checkpoints.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'a runtime that dies at', () => {
  deathsAtCheckpoints(() => new Cluster(redis().url));
});

describe('the checkpoints', () => {
  it('are named once each, and by no other name in the sources', () => {
    const all = [...CHECKPOINTS, ...WORKSPACE_CHECKPOINTS, ...FUNCTION_CHECKPOINTS];
    expect(new Set(all).size).toBe(all.length);
    const folder = fileURLToPath(new URL('../../runtime', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const text = sources.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n');
    const called = [...text.matchAll(/checkpoint(?:\?\.)?\('([\w.]+)'\)/g)].map(([, name]) => name);
    expect([...new Set(called)].sort()).toEqual(all.sort());
  });
});
