import type { EgressOutcome } from '../../contracts/egress.ts';
import { AnswerFailure, codeOf } from '../../http1/answer-failure.ts';

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

/** What went wrong while it was asked, or while its answer was taken. */
export function upstreamFailureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (!(error instanceof AnswerFailure)) return badAnswer(codeOf(error));
  if (error.about === 'answer') return badAnswer(error.message);
  return new UpstreamFailure('upstream_failed', `The connection to the host failed: ${error.message}.`);
}
