import { describe, expect, it } from 'vitest';
import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { EngineRefusal } from '../../../../runtime/containers/docker/engine-errors.ts';
import { pullImage } from '../../../../runtime/containers/docker/image-pull.ts';
import { describeWith, docker } from '../../../support/services/provided.ts';

/** An engine that gives this account of a pull, and remembers what was asked for. */
function engineSaying(...lines: (object | string)[]) {
  const asked: string[] = [];
  return {
    asked,
    async pull(image: string, onLine: (line: string) => void) {
      asked.push(image);
      for (const line of lines) onLine(typeof line === 'string' ? line : JSON.stringify(line));
    },
  };
}

describe('a pull', () => {
  it('tells each step once', async () => {
    const engine = engineSaying(
      { status: 'Pulling from library/x' },
      { id: 'a1', status: 'Downloading', progressDetail: { current: 1 } },
      { id: 'a1', status: 'Downloading', progressDetail: { current: 2 } },
      'no JSON',
      { id: 'a1', status: 'Pull complete' },
    );
    const told: string[] = [];
    await pullImage(engine, 'x:1', (line) => told.push(line));
    expect(told).toEqual(['Pulling from library/x', 'a1: Downloading', 'a1: Pull complete']);
  });

  it('fails when the account tells of an error, or the engine refuses', async () => {
    const failing = engineSaying({ status: 'Pulling' }, { error: 'no space left' });
    await expect(pullImage(failing, 'x:1', () => {})).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: 'x:1: no space left',
    });
    const refusing = { pull: () => Promise.reject(new EngineRefusal(404, 'no such repository', undefined)) };
    await expect(pullImage(refusing, 'x:1', () => {})).rejects.toMatchObject({ code: 'IMAGE_PULL_FAILED' });
  });

  it.each([
    ['x', 'x:latest'],
    ['x:1', 'x:1'],
    ['host:5000/x', 'host:5000/x:latest'],
    ['host:5000/x:1', 'host:5000/x:1'],
    ['x@sha256:00', 'x@sha256:00'],
  ])('of %s asks for %s, never for all tags', async (image, expected) => {
    const engine = engineSaying();
    await pullImage(engine, image, () => {});
    expect(engine.asked).toEqual([expected]);
  });
});

describeWith('docker', 'a pull by a real engine', () => {
  it('from a registry that is not there fails with its words', async () => {
    const backend = new DockerBackend({
      installation: 'docker-tests',
      version: '1.2.3',
      dockerHost: docker().host,
      socketBasePath: '/nowhere',
    });
    await expect(backend.pullImage('127.0.0.1:1/nothing:1', () => {})).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('127.0.0.1:1'),
    });
    await backend.close();
  });
});
