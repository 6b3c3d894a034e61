import { connectEngine } from '../../images/builder/engine.ts';
import { must } from '../support/must.ts';

/** Runs a command of the runtime's image as root, with volumes at these paths; resolves with what it printed. */
export async function withVolumes(
  host: string,
  volumes: Record<string, string>,
  command: string[],
): Promise<string> {
  const engine = connectEngine(host);
  const [image] = await engine.listImages({ filters: { label: ['berth.image=runtime'] } });
  const container = await engine.createContainer({
    Image: must(image).Id,
    User: '0:0',
    Cmd: command,
    Tty: true, // so that its log is what it printed, and nothing else
    HostConfig: {
      Mounts: Object.entries(volumes).map(([Target, Source]) => ({ Type: 'volume', Source, Target })),
      NetworkMode: 'none',
    },
  });
  try {
    await container.start();
    const { StatusCode } = await container.wait();
    const printed = (await container.logs({ stdout: true })).toString().replaceAll('\r\n', '\n');
    if (StatusCode !== 0) throw new Error(`${command.join(' ')} ended with ${StatusCode}: ${printed}`);
    return printed;
  } finally {
    await container.remove({ force: true });
  }
}
