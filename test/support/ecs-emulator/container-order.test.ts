import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { afterEach, describe, expect, it } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator } from './arranged-emulator.ts';
import { type StubContainer, stubBacking } from './stub/stub-backing.ts';

const app = (changes: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
  name: 'app',
  image: 'x',
  ...changes,
});
const first = (changes: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
  name: 'first',
  image: 'x',
  ...changes,
});
const check = { command: ['CMD-SHELL', 'true'], interval: 10, timeout: 5, retries: 2 };

const PATIENT = { timeout: 10_000, interval: 10 };

let arranged: ArrangedEmulator;
let started: string[];
let ended: string[];
let stubs: Map<string, StubContainer>;
let isHealthy: boolean;

const begin = async (containerDefinitions: ContainerDefinition[]): Promise<string> => {
  started = [];
  ended = [];
  stubs = new Map();
  const backing = stubBacking({
    isHealthy: () => isHealthy,
    startAgent: (stub) => {
      started.push(stub.container);
      stubs.set(stub.container, stub);
      return { [Symbol.asyncDispose]: async () => void ended.push(stub.container) };
    },
  });
  arranged = await ArrangedEmulator.start({ backing, speed: 100 });
  await arranged.register({ containerDefinitions });
  return arranged.run();
};
afterEach(() => arranged[Symbol.asyncDispose]());

// API_ContainerDependency: the conditions; "When a dependency is defined for container startup, for container
// shutdown it is reversed."
describe('dependsOn', () => {
  it.each([
    ['before', 0],
    ['after', 1],
  ])('START: starts after the other and ends before it, also where it is named %s it', async (_, place) => {
    const dependsOn = [{ containerName: 'first', condition: 'START' } as const];
    const arn = await begin([first()].toSpliced(place, 0, app({ dependsOn })));
    await arranged.reached(arn, 'RUNNING');
    expect(started).toEqual(['first', 'app']);
    arranged.emulator.stopFromOutside(arn);
    await arranged.reached(arn, 'STOPPED');
    expect(ended).toEqual(['app', 'first']);
  });

  it('HEALTHY: waits for the health check of the other', async () => {
    isHealthy = false;
    const dependsOn = [{ containerName: 'first', condition: 'HEALTHY' } as const];
    const arn = await begin([app({ dependsOn }), first({ healthCheck: { ...check, startPeriod: 300 } })]);
    await arranged.reached(arn, 'PENDING');
    arranged.emulator.clock.advance(60_000);
    expect(started).toEqual(['first']);
    isHealthy = true;
    await arranged.reached(arn, 'RUNNING');
    expect(started).toEqual(['first', 'app']);
  });

  it('SUCCESS: fails the task where the other ends with another code than 0', async () => {
    const dependsOn = [{ containerName: 'first', condition: 'SUCCESS' } as const];
    const arn = await begin([app({ dependsOn }), first({ essential: false })]);
    await arranged.reached(arn, 'PENDING');
    stubs.get('first')?.exit(1);
    const task = await arranged.reached(arn, 'STOPPED');
    expect(task).toMatchObject({ stopCode: 'TaskFailedToStart' });
    expect(started).toEqual(['first']);
  });

  it('COMPLETE: goes on where the other has ended with any code', async () => {
    const dependsOn = [{ containerName: 'first', condition: 'COMPLETE' } as const];
    const arn = await begin([app({ dependsOn }), first({ essential: false })]);
    await arranged.reached(arn, 'PENDING');
    stubs.get('first')?.exit(1);
    await arranged.reached(arn, 'RUNNING');
  });

  // API_ContainerDefinition, startTimeout.
  it('gives up when the start timeout of the other has passed', async () => {
    isHealthy = false;
    const dependsOn = [{ containerName: 'first', condition: 'HEALTHY' } as const];
    const arn = await begin([app({ dependsOn }), first({ healthCheck: check, startTimeout: 20 })]);
    expect((await arranged.reached(arn, 'STOPPED')).stoppedReason).toContain('within 20 s');
  });
});

// API_HealthCheck: interval, retries, startPeriod; API_Task, healthStatus.
describe('a health check', () => {
  it('makes container and task HEALTHY once it passes, UNKNOWN before', async () => {
    isHealthy = true;
    const arn = await begin([app({ healthCheck: check })]);
    expect(await arranged.reached(arn, 'RUNNING')).toMatchObject({ healthStatus: 'UNKNOWN' });
    await expect
      .poll(() => arranged.describe(arn), PATIENT)
      .toMatchObject({ healthStatus: 'HEALTHY', containers: [{ healthStatus: 'HEALTHY' }] });
  });

  it('makes them UNHEALTHY after so many failures in a row; a task of no service runs on', async () => {
    isHealthy = true;
    const arn = await begin([app({ healthCheck: check })]);
    await expect.poll(() => arranged.describe(arn), PATIENT).toMatchObject({ healthStatus: 'HEALTHY' });
    isHealthy = false;
    await expect
      .poll(() => arranged.describe(arn), PATIENT)
      .toMatchObject({ healthStatus: 'UNHEALTHY', lastStatus: 'RUNNING', desiredStatus: 'RUNNING' });
  });

  it('counts no failure within the start period', async () => {
    isHealthy = false;
    const arn = await begin([app({ healthCheck: { ...check, startPeriod: 60 } })]);
    await expect.poll(() => arranged.describe(arn), PATIENT).toMatchObject({ healthStatus: 'UNHEALTHY' });
    // One interval longer than the start period at least, since it takes two failures.
    const began = must(arranged.emulator.tasks[0]?.pullStoppedAt);
    expect(arranged.emulator.clock.now() - began).toBeGreaterThanOrEqual(70_000);
  });

  it('of a container without one is UNKNOWN, and so is the task', async () => {
    isHealthy = true;
    const arn = await begin([app({ healthCheck: check }), first()]);
    await expect
      .poll(() => arranged.describe(arn), PATIENT)
      .toMatchObject({ containers: [{ healthStatus: 'HEALTHY' }, { healthStatus: 'UNKNOWN' }] });
    expect((await arranged.describe(arn)).healthStatus).toBe('UNKNOWN');
  });
});
