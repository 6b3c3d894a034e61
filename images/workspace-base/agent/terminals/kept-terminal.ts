import type { Duplex } from 'node:stream';
import type { TerminalView } from '../../../../runtime/contracts/agent-protocol.ts';

/** A terminal that has been started, and may have ended. */
export interface KeptTerminal {
  readonly isOver: boolean;
  readonly view: TerminalView;
  /** Resolves when the command has ended and all it had to show was read. */
  readonly ended: Promise<void>;
  /** Throws a Problem for more viewers, or bytes, than there are. */
  check(after: number): void;
  /** Shows what comes after so many bytes, until the line closes. */
  attach(line: Duplex, after: number): void;
  /** Ends the command and all it started in its session; resolves when that has happened. */
  end(): Promise<void>;
}
