import type { ContainerCreateOptions } from 'dockerode';
import type { VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { type Surroundings, securityOptions } from './create-options.ts';

/** Where a helper finds the volume: all that it can write to. */
export const HELPER_MOUNT = '/volume';

const MiB = 1024 * 1024;
const NANO = 1e9;
const LIMITS = { cpus: 2, memoryBytes: 512 * MiB, pids: 32 };
/** What it takes to read all files of a home, and to give them their owners and modes. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'];

/** Of a volume that came to be because a helper named it after it was gone. */
export const STRAY = 'stray-volume';

export interface Helper {
  image: string;
  volume: VolumeName;
  /** For bash: the script, and its arguments behind the mount. */
  script: string;
  args: string[];
  /** What the engine must find on it beside whose it is. */
  labels: Record<string, string>;
}

/** No role: it is no container of ours that anyone asks for. */
export function helperOptions(
  { image, volume, script, args, labels }: Helper,
  around: Pick<Surroundings, 'engine' | 'apparmorProfile'>,
): ContainerCreateOptions {
  return {
    Image: image,
    User: '0:0',
    Entrypoint: ['bash', '-c', script, 'bash', HELPER_MOUNT, ...args],
    Cmd: [],
    WorkingDir: '/',
    Env: ['LC_ALL=C'],
    Labels: { ...labels, [LABEL.part]: 'volume-helper', [LABEL.partOf]: volume },
    OpenStdin: true,
    // Its stdin ends with the connection of whoever started it.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: 'none',
      NanoCpus: Math.round(Math.min(LIMITS.cpus, around.engine.cpus) * NANO),
      Memory: LIMITS.memoryBytes,
      MemorySwap: LIMITS.memoryBytes,
      PidsLimit: LIMITS.pids,
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES,
      SecurityOpt: securityOptions(around),
      ReadonlyRootfs: true,
      IpcMode: 'private',
      Init: true,
      Mounts: [
        {
          Type: 'volume',
          Source: volume,
          Target: HELPER_MOUNT,
          ReadOnly: false,
          VolumeOptions: {
            NoCopy: true,
            // The engine makes what is not there.
            Labels: { ...labels, [LABEL.part]: STRAY },
            DriverConfig: { Name: 'local', Options: {} },
          },
        },
      ],
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
    },
  };
}
