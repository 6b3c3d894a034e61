import type Docker from 'dockerode';
import { connectEngine } from '../../../images/builder/engine.ts';
import {
  DockerBackend,
  type DockerBackendOptions,
} from '../../../runtime/containers/docker/docker-backend.ts';
import { volumeLabels } from '../../../runtime/containers/ownership.ts';
import type { VolumeName } from '../../../runtime/contracts/ids.ts';
import { LABEL } from '../../../runtime/contracts/labels.ts';
import { inVolume } from '../../support/home-tree.ts';
import { must } from '../../support/must.ts';
import { docker, workspaceImage } from '../../support/services/provided.ts';
import { TestFolder } from '../container-backend/test-folder.ts';
import { OURS, type VolumesUnderTest } from './volumes-under-test.ts';

export function dockerVolumes(): VolumesUnderTest {
  const folder = new TestFolder();
  const engine = connectEngine(docker().host);
  const image = workspaceImage();
  const opened: DockerBackend[] = [];
  const labels = (name: string, installation: string) =>
    // The cast: what is planted may have a name that is none.
    volumeLabels(name as VolumeName, { installation, version: '1.2.3' }, new Date());
  return {
    open(installation) {
      const backend = openDockerVolumes(folder.path, docker().host, installation);
      opened.push(backend);
      return must(backend.volumes);
    },
    owner: '1000:1000',
    inside: (name) => inVolume(engine, image, name),
    async plant(name, installation) {
      await engine.createVolume({ Name: name, Labels: labels(name, installation) });
    },
    isPlanted: (name) =>
      engine
        .getVolume(name)
        .inspect()
        .then(() => true),
    uproot: (name) => engine.getVolume(name).remove(),
    async provisionSmall(name, installation) {
      const DriverOpts = { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' };
      await engine.createVolume({
        Name: name,
        Driver: 'local',
        DriverOpts,
        Labels: labels(name, installation),
      });
    },
    async occupy(name) {
      const Mounts: Docker.MountConfig = [{ Type: 'volume', Source: name, Target: '/home/coder' }];
      const container = await engine.createContainer({ Image: image, HostConfig: { Mounts } });
      return () => container.remove({ force: true });
    },
    working: async (name) => (await helpersOf(engine, name)).length,
    running: async (name) =>
      (await helpersOf(engine, name)).filter(({ State }) => State === 'running').length,
    opening: { kind: 'docker', options: optionsOf(folder.path, docker().host, OURS) },
    async kill(name) {
      for (const { Id } of await helpersOf(engine, name)) await engine.getContainer(Id).kill();
    },
    async close() {
      for (const backend of opened) await backend.close();
      folder.remove();
    },
  };
}

export function openDockerVolumes(
  socketBasePath: string,
  dockerHost: string,
  installation: string,
): DockerBackend {
  return new DockerBackend(optionsOf(socketBasePath, dockerHost, installation));
}

function optionsOf(socketBasePath: string, dockerHost: string, installation: string): DockerBackendOptions {
  return { installation, version: '1.2.3', dockerHost, socketBasePath, helperImage: workspaceImage() };
}

export function helpersOf(engine: Docker, name: VolumeName): Promise<Docker.ContainerInfo[]> {
  return engine.listContainers({ all: true, filters: { label: [`${LABEL.partOf}=${name}`] } });
}
