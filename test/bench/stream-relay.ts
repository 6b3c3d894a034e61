import { randomBytes } from 'node:crypto';
import { stream, type Target } from './agent-call.ts';
import { BarePipe } from './bare-pipe.ts';
import { EventCount } from './event-count.ts';
import { byTurns, type Figure } from './figure.ts';
import { LiveConversation } from './live-conversation.ts';
import { memoryMegabytes } from './process-memory.ts';

const EVENTS = 25_600;
const TEXT_BYTES = 4096;
const MEGABYTES = (EVENTS * TEXT_BYTES) / 1e6;
const ROUNDS = 7;
const LOOK_AT_MEMORY_MS = 20;

/** Says the events as fast as they are taken: they are prepared, many to a write. */
const PRODUCER = `
const line = JSON.stringify({ type: 'text_delta', text: 'x'.repeat(${TEXT_BYTES}) }) + '\\n';
const some = Buffer.from(line.repeat(16));
let left = ${EVENTS} / 16;
function write() {
  while (left > 0) {
    left -= 1;
    if (!process.stdout.write(some)) return process.stdout.once('drain', write);
  }
  process.stdout.write('{"type":"done","subtype":"success"}\\n');
}
write();
`;

/** 100 MB of events of an execution, through the runtime and through a bare pipe of Node's, to the same client. */
export async function streamRelay(
  title: string,
  env: Record<string, string>,
  { least }: { least: number },
): Promise<Figure[]> {
  await using live = await LiveConversation.start({
    ...env,
    CONTAINER_MANAGER_TYPE: 'process',
    AGENT_COMMAND: JSON.stringify(['node', '-e', PRODUCER]),
  });
  await using pipe = await BarePipe.start(live);
  const { pid } = live.runtime.child;
  const token = live.runtime.developmentKey;
  let growth = 0;
  const ours = async () => {
    const before = memoryMegabytes(pid, 'VmRSS');
    const look = () => {
      growth = Math.max(growth, memoryMegabytes(pid, 'VmRSS') - before);
    };
    const timer = setInterval(look, LOOK_AT_MEMORY_MS);
    try {
      return await megabytesPerSecond(new URL(`${live.url}/execute`), { user_input: '' }, token);
    } finally {
      clearInterval(timer);
      look();
    }
  };
  const bare = () => {
    const execution_id = randomBytes(12).toString('hex');
    return megabytesPerSecond(pipe.url, { user_input: '', execution_id });
  };
  const result = await byTurns(ROUNDS, ours, bare);
  return [
    {
      name: `100 MB of events through the runtime, ${title}`,
      unit: 'MB/s',
      ours: result.ours,
      reference: { name: 'a bare Node pipe', value: result.reference },
      goal: { atLeast: least },
    },
    { name: `memory that the runtime takes for it, ${title}`, unit: 'MB', ours: growth, goal: 50 },
  ];
}

async function megabytesPerSecond(target: Target, body: unknown, token?: string): Promise<number> {
  const count = new EventCount();
  const started = performance.now();
  await stream(target, { body, ...(token === undefined ? {} : { token }) }, (chunk) => count.take(chunk));
  const seconds = (performance.now() - started) / 1000;
  count.requireWhole(EVENTS);
  return MEGABYTES / seconds;
}
