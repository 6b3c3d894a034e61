import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { type ImageBuild, ImagePreparation } from '../../../runtime/containers/image-preparation.ts';
import { describeWith, docker, workspaceImage } from '../../support/services/provided.ts';

describeWith(['docker', 'workspace-base-image'], 'an image that the engine lacks', () => {
  const image = `berth-absent-${randomBytes(4).toString('hex')}`;
  let folder: string;
  let backend: DockerBackend;
  let engine: Docker;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-'));
    backend = new DockerBackend({
      dockerHost: docker().host,
      installation: 'image',
      version: '0',
      socketBasePath: folder,
    });
    engine = new Docker({ socketPath: docker().host.replace('unix://', '') });
  });
  afterAll(async () => {
    await backend.close();
    await engine.getImage(`${image}:1`).remove({ force: true });
    rmSync(folder, { recursive: true });
  });
  const preparation = (build?: ImageBuild) =>
    new ImagePreparation({ backend, image: `${image}:1`, build, log: pino({ level: 'silent' }) });
  const codeOf = (attempt: () => void) => {
    try {
      attempt();
      return 'ready';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('and that nobody has: IMAGE_PULL_FAILED', async () => {
    const images = preparation();
    await images.start();
    expect(codeOf(images.require)).toBe('IMAGE_PULL_FAILED');
  });

  it('is built meanwhile: IMAGE_PREPARING until it is there', async () => {
    const gate = Promise.withResolvers<void>();
    const images = preparation(async () => {
      await gate.promise;
      await engine.getImage(workspaceImage()).tag({ repo: image, tag: '1' });
    });
    const done = images.start();
    expect(codeOf(images.require)).toBe('IMAGE_PREPARING');
    gate.resolve();
    await done;
    expect(codeOf(images.require)).toBe('ready');
  });

  it('and that goes again is had again', async () => {
    const images = preparation(async () => {
      await engine.getImage(workspaceImage()).tag({ repo: image, tag: '1' });
    });
    await images.start();
    await engine.getImage(`${image}:1`).remove({ force: true });
    images.lost();
    expect(codeOf(images.require)).toBe('IMAGE_PREPARING');
    await images.start();
    expect(codeOf(images.require)).toBe('ready');
  });

  it('is not waited for when the service ends', async () => {
    await engine.getImage(`${image}:1`).remove({ force: true });
    const begun = Promise.withResolvers<void>();
    const images = preparation(async (_onProgress, signal) => {
      begun.resolve();
      await once(signal, 'abort');
      throw signal.reason;
    });
    const done = images.start();
    await begun.promise;
    images.close();
    await done;
    await engine.getImage(workspaceImage()).tag({ repo: image, tag: '1' });
  });

  it('is ready at once when it is there, though its sources may have changed', async () => {
    const images = preparation(async () => {
      throw new Error('could not be brought up to date');
    });
    await images.look();
    expect(codeOf(images.require)).toBe('ready');
  });
});
