import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { socketFolderName } from '../../../../runtime/containers/socket-folder.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import {
  docker,
  functionNodeImage,
  functionPythonImage,
  workspaceImage,
} from '../../../support/services/provided.ts';
import { TestFolder } from '../test-folder.ts';
import type { AppsUnderTest } from './app-harness.ts';
import { buildTestApp } from './test-app-image.ts';

/** The engine of the run, with an image of the test program. */
export async function dockerApps(): Promise<AppsUnderTest> {
  const folder = new TestFolder();
  const engine = connectEngine(docker().host);
  const made: string[] = [];
  const is = (asked: Promise<unknown>) => asked.then(Boolean, () => false);
  return {
    open: (options) =>
      new DockerBackend({
        version: '1.2.3',
        dockerHost: docker().host,
        socketBasePath: folder.path,
        helperImage: workspaceImage(),
        ...options,
      }),
    image: await buildTestApp(),
    get functionImages() {
      return { node: functionNodeImage(), python: functionPythonImage() };
    },
    makeVolume: async (name, installation) => {
      await engine.createVolume({ Name: name, Labels: { [LABEL.installation]: installation } });
      made.push(name);
    },
    hasVolume: (name) => is(engine.getVolume(name).inspect()),
    hasTraces: async (id) =>
      existsSync(join(folder.path, socketFolderName(id))) ||
      (await is(engine.getContainer(id).inspect())) ||
      (await is(engine.getContainer(`${id}.port`).inspect())),
    remove: async () => {
      await Promise.all(made.map((name) => engine.getVolume(name).remove()));
      folder.remove();
    },
  };
}
