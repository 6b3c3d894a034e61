import { list, object, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';
import { DOCKER_CONTAINER, eachContainer, TASK_DEFINITION } from './task-containers.ts';

const ROOT = /^(0|root)(:|$)/;

const ofTask = eachContainer(({ readonlyRootFilesystem, linuxParameters, privileged, user }) => {
  const { drop } = object(object(linuxParameters).capabilities);
  return [
    ...(readonlyRootFilesystem === true ? [] : ['can write to its root file system']),
    ...(list(drop).includes('ALL') ? [] : ['keeps capabilities']),
    ...(privileged === true ? ['is privileged'] : []),
    ...(text(user) === '' || ROOT.test(text(user)) ? ['runs as root'] : []),
  ];
});

const ofHost: Check = ({ networkMode, pidMode, ipcMode }) =>
  Object.entries({ networkMode, pidMode, ipcMode })
    .filter(([, mode]) => mode === 'host')
    .map(([key]) => `It shares the host's ${key.replace('Mode', '')} namespace`);

const ofDocker: Check = (props) => {
  const { drops } = object(props.capabilities);
  return [
    ...(props.readOnly === true ? [] : ['The container can write to its root file system']),
    ...(list(drops).includes('ALL') ? [] : ['The container keeps capabilities']),
    ...(props.privileged === true ? ['The container is privileged'] : []),
    ...(list(props.securityOpts)
      .map(text)
      .some((option) => option.startsWith('no-new-privileges'))
      ? []
      : ['The container can gain privileges']),
    ...ofHost(props),
  ];
};

export const containedContainers: ResourceRule = {
  name: 'contained-containers',
  description:
    'Containers have a read-only root, no capabilities but those they name, and nothing of the host.',
  level: 'mandatory',
  fix: 'Make the root read-only with a tmpfs or volume where it writes, drop ALL and add what it needs, and forbid new privileges',
  checks: {
    [TASK_DEFINITION]: (props) => [...ofTask(props), ...ofHost(props)],
    [DOCKER_CONTAINER]: ofDocker,
  },
};

const ENGINE_SOCKET = /(docker|containerd|podman|crio)\.sock$/;
const RUNTIME_IMAGE = /(^|\/)runtime[:@]/;

export const engineForRuntimeOnly: ResourceRule = {
  name: 'engine-for-runtime-only',
  description: "Who holds the engine's socket is root of its machine: only the runtime does.",
  level: 'mandatory',
  fix: 'Ask the runtime for what you need of the engine',
  checks: {
    [DOCKER_CONTAINER]: (props) => {
      const binds = list(props.mounts)
        .map(object)
        .filter(({ type }) => type === 'bind');
      const volumes = list(props.volumes).map(object);
      const sockets = [...binds.map(({ source }) => source), ...volumes.map(({ hostPath }) => hostPath)]
        .map(text)
        .filter((path) => ENGINE_SOCKET.test(path));
      return sockets.length === 0 || RUNTIME_IMAGE.test(text(props.image))
        ? []
        : sockets.map((path) => `The container holds ${path}`);
    },
    [TASK_DEFINITION]: ({ volumes }) =>
      list(volumes)
        .map((volume) => text(object(volume).hostPath))
        .filter((path) => path !== '')
        .map((path) => `Tasks hold ${path} of their host`),
  },
};
