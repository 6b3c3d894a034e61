import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { descriptorPath, HAS_PROC } from '../proc.ts';
import { type ChunkSink, OutputPipe } from './output-pipe.ts';
import type { PipeSupply } from './pipe-supply.ts';
import { openStdin } from './stdin-file.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Standard streams for a command that is about to be spawned. */
interface Stdio {
  /** For `spawn`. */
  options: StdioOptions;
  /** Takes up reading stdout and stderr, and lets go of what is the child's now. */
  attach(child: ChildProcess, stdout: ChunkSink, stderr: ChunkSink): [OutputPipe, OutputPipe];
  /** Lets go of everything when there is no child. */
  abandon(): void;
}

/** Opens the standard streams of a command. Without `stdin` it reads an empty one. */
export async function openStdio(supply: PipeSupply, stdin: string | undefined): Promise<Stdio> {
  const pipes = HAS_PROC ? await takeNamedPipes(supply) : undefined;
  let input: number | undefined;
  try {
    input = stdin === undefined ? undefined : openStdin(stdin);
  } catch (error) {
    closeAll(pipes?.flat() ?? []);
    throw error;
  }
  return pipes ? namedPipes(input, pipes) : nodePipes(input);
}

/** The reading and the writing end of a pipe. */
type Ends = [reader: number, writer: number];

async function takeNamedPipes(supply: PipeSupply): Promise<[stdout: Ends, stderr: Ends] | undefined> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const names = await supply.take(2);
    if (!names) return undefined;
    const opened: number[] = [];
    try {
      const [out = '', err = ''] = names;
      return [openPipe(out, opened), openPipe(err, opened)];
    } catch {
      closeAll(opened);
      supply.discard();
    }
  }
  return undefined;
}

/** Opens a named pipe and takes its name away. Only the agent's end is one that doesn't block. */
function openPipe(name: string, opened: number[]): Ends {
  const reader = openSync(name, O_RDONLY | O_NONBLOCK);
  opened.push(reader);
  unlinkSync(name);
  // This very pipe again: it has no name any more, and nobody can have swapped it.
  const writer = openSync(descriptorPath(reader), O_WRONLY);
  opened.push(writer);
  return [reader, writer];
}

function namedPipes(input: number | undefined, [stdout, stderr]: [Ends, Ends]): Stdio {
  const closeChildEnds = () => closeAll([input, stdout[1], stderr[1]]);
  return {
    options: [input ?? 'ignore', stdout[1], stderr[1]],
    attach(_child, outSink, errSink) {
      closeChildEnds();
      return [OutputPipe.fromDescriptor(stdout[0], outSink), OutputPipe.fromDescriptor(stderr[0], errSink)];
    },
    abandon() {
      closeChildEnds();
      closeAll([stdout[0], stderr[0]]);
    },
  };
}

/** What Node offers by itself, for when no named pipes are to be had. */
function nodePipes(input: number | undefined): Stdio {
  return {
    options: [input ?? 'ignore', 'pipe', 'pipe'],
    attach({ stdout, stderr }, outSink, errSink) {
      closeAll([input]);
      // `spawn` gives a net.Socket for 'pipe', though its type only says Readable.
      return [
        OutputPipe.fromSocket(stdout as Socket, outSink),
        OutputPipe.fromSocket(stderr as Socket, errSink),
      ];
    },
    abandon: () => closeAll([input]),
  };
}

function closeAll(descriptors: (number | undefined)[]): void {
  for (const fd of descriptors) if (fd !== undefined) closeSync(fd);
}
