import { setTimeout as wait } from 'node:timers/promises';
import type { EmulatorClock } from '../emulator-clock.ts';
import { AwsError } from './aws-error.ts';
import { throttled } from './rate-limits.ts';

export type FaultKind =
  /** Answers with this instead of acting. */
  | { readonly kind: 'error'; readonly code: string; readonly status?: number; readonly message?: string }
  /** Acts, then answers 500 as if it had not. */
  | { readonly kind: 'errorAfter'; readonly code?: string; readonly status?: number }
  | { readonly kind: 'throttle' }
  /** Cuts the connection without acting. */
  | { readonly kind: 'drop' }
  /** Acts, then cuts the connection. */
  | { readonly kind: 'dropAfter' }
  /** RunTask answers 200 and starts nothing. */
  | { readonly kind: 'failures'; readonly reason: string; readonly detail?: string }
  /** Answers so many milliseconds of the wall's clock later, having acted. */
  | { readonly kind: 'slow'; readonly ms: number };

export type Fault = FaultKind & {
  /** `*`: any. */
  readonly operation: string;
  /** How many calls it meets: 1 unless said, `Infinity` until it is removed. */
  readonly times?: number;
  /** How long it lasts by the emulator's clock. */
  readonly forMs?: number;
  /** Meets only such calls. */
  readonly when?: (input: Readonly<Record<string, unknown>>) => boolean;
};

export const CAPACITY_UNAVAILABLE =
  'Capacity is unavailable at this time. Please try again later or in a different availability zone';

/** The connection is to be cut. */
export class Dropped extends Error {}

interface Standing {
  readonly fault: Fault;
  left: number;
  readonly until: number;
}

/** What goes wrong on purpose, settable at any time. */
export class Faults {
  readonly #clock: EmulatorClock;
  readonly #standing = new Set<Standing>();

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
  }

  /** Returns how to end it early. */
  add(fault: Fault): () => void {
    if (fault.kind === 'failures' && fault.operation !== 'RunTask') {
      throw new Error(`Only RunTask answers with such failures, not ${fault.operation}.`);
    }
    const standing = {
      fault,
      left: fault.times ?? (fault.forMs === undefined ? 1 : Number.POSITIVE_INFINITY),
      until: fault.forMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + fault.forMs,
    };
    this.#standing.add(standing);
    return () => void this.#standing.delete(standing);
  }

  clear(): void {
    this.#standing.clear();
  }

  /** The oldest fault that meets the call; it is spent. */
  meet(operation: string, input: Readonly<Record<string, unknown>>): Fault | undefined {
    for (const standing of this.#standing) {
      const { fault } = standing;
      if (this.#clock.now() > standing.until) {
        this.#standing.delete(standing);
        continue;
      }
      if (fault.operation !== '*' && fault.operation !== operation) continue;
      if (fault.when?.(input) === false) continue;
      standing.left -= 1;
      if (standing.left <= 0) this.#standing.delete(standing);
      return fault;
    }
    return undefined;
  }
}

export function faultBefore(fault: Fault | undefined): void {
  if (fault?.kind === 'error') {
    const {
      code,
      status = code === 'ServerException' ? 500 : 400,
      message = 'A fault of the emulator.',
    } = fault;
    throw new AwsError(code, message, status);
  }
  if (fault?.kind === 'throttle') throw throttled();
  if (fault?.kind === 'drop') throw new Dropped();
}

export async function faultAfter(fault: Fault | undefined): Promise<void> {
  if (fault?.kind === 'errorAfter') {
    throw new AwsError(fault.code ?? 'ServerException', 'Service Unavailable', fault.status ?? 500);
  }
  if (fault?.kind === 'dropAfter') throw new Dropped();
  if (fault?.kind === 'slow') await wait(fault.ms);
}
