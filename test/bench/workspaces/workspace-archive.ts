import { homeVolume, parseWorkspaceId } from '../../../runtime/contracts/ids.ts';
import { must } from '../../support/must.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';
import { type BenchSetting, withWorkspaces } from '../bench-setting.ts';
import { debianProgram } from '../egress-debian-program.ts';
import { type Figure, median, timed } from '../figure.ts';
import { memoryMegabytes } from '../process-memory.ts';
import { BenchWorkspace } from './bench-workspace.ts';
import { HomeByHand } from './home-by-hand.ts';
import { fillHome, HOME_BYTES } from './home-content.ts';

const ROUNDS = 3;
const LOOK_AT_MEMORY_MS = 20;

interface Times {
  archive: number[];
  restore: number[];
}

/** A home of 1 GiB to the object store and back, by the runtime and by hand; and what the runtime needs for it. */
export async function workspaceArchive(setting: BenchSetting): Promise<Figure[]> {
  await debianProgram('zstd', 'zstd', setting.say);
  return [...(await inDirectory(setting)), ...(await inS3(setting))];
}

async function inDirectory(setting: BenchSetting): Promise<Figure[]> {
  await using runtime = await RuntimeProcess.start({ env: withWorkspaces(setting) });
  const workspace = await filled(setting, runtime);
  const volume = homeVolume(must(parseWorkspaceId(workspace.id)));
  using hand = await HomeByHand.of(setting.dockerHost, volume);
  const ours: Times = { archive: [], restore: [] };
  const byHand: Times = { archive: [], restore: [] };
  let growth = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    growth = Math.max(growth, await roundTrip(workspace, runtime, ours));
    byHand.archive.push(await hand.archive());
    byHand.restore.push(await hand.restore());
  }
  return [
    ...(['archive', 'restore'] as const).map(
      (way): Figure => ({
        name: `${way} of a home of 1 GiB${way === 'archive' ? ', read back' : ''}`,
        unit: 'MB/s',
        ours: megabytesPerSecond(ours[way]),
        reference: { name: 'tar and zstd by hand', value: megabytesPerSecond(byHand[way]) },
        goal: { atLeast: 0.6 },
      }),
    ),
    { name: 'memory that the runtime takes for both', unit: 'MB', ours: growth, goal: 50 },
  ];
}

/** Only its memory: the S3 of the run is slower than anything that is measured here. */
async function inS3(setting: BenchSetting): Promise<Figure[]> {
  const env = { ...withWorkspaces(setting), ...setting.s3, BERTH_SINGLE_INSTANCE: '1' };
  await using runtime = await RuntimeProcess.start({ env });
  const workspace = await filled(setting, runtime);
  const ours: Times = { archive: [], restore: [] };
  const growth = await roundTrip(workspace, runtime, ours);
  return [{ name: 'memory that the runtime takes for both, to S3', unit: 'MB', ours: growth, goal: 50 }];
}

async function filled(setting: BenchSetting, runtime: RuntimeProcess): Promise<BenchWorkspace> {
  const workspace = await BenchWorkspace.make(runtime, 'STANDBY');
  await fillHome(setting, workspace.id);
  return workspace;
}

/** Resolves with the most that the runtime's memory was above what it was before. */
async function roundTrip(workspace: BenchWorkspace, runtime: RuntimeProcess, into: Times): Promise<number> {
  const { pid } = runtime.child;
  const before = memoryMegabytes(pid, 'VmRSS');
  let growth = 0;
  const look = () => {
    growth = Math.max(growth, memoryMegabytes(pid, 'VmRSS') - before);
  };
  const timer = setInterval(look, LOOK_AT_MEMORY_MS);
  try {
    into.archive.push(await timed(() => workspace.become('PENDING')));
    into.restore.push(await timed(() => workspace.become('STANDBY')));
  } finally {
    clearInterval(timer);
  }
  return growth;
}

function megabytesPerSecond(times: number[]): number {
  return HOME_BYTES / 1e3 / median(times);
}
