import type { EgressOutcome } from '../../contracts/egress.ts';

/** A target that was let through and did not do its part. The message is for the client. */
export class UpstreamFailure extends Error {
  readonly outcome: Exclude<EgressOutcome, 'forwarded'>;
  readonly status: 502 | 504;

  constructor(outcome: Exclude<EgressOutcome, 'forwarded'>, message: string) {
    super(message);
    this.name = 'UpstreamFailure';
    this.outcome = outcome;
    this.status = outcome === 'timed_out' ? 504 : 502;
  }
}

/** The upstream's doing, told without a byte of what it sent. */
export function badAnswer(what: string): UpstreamFailure {
  return new UpstreamFailure('upstream_failed', `The host did not answer as HTTP has it: ${what}.`);
}

/** The code of a system, TLS or parser error, which has nothing of the request in it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'an error';
}
