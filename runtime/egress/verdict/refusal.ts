import type { EgressRefusal } from '../../contracts/egress.ts';
import type { CanonicalHost } from './canonical-host.ts';

export interface Target {
  readonly host: CanonicalHost;
  readonly port: number;
}

const STATUS: Record<EgressRefusal, number> = {
  malformed: 400,
  not_allowed: 403,
  private_address: 403,
  unresolved: 502,
  wrong_sni: 403,
  unknown_route: 404,
  forbidden_path: 403,
  insecure_target: 403,
  too_large: 413,
  too_many: 429,
  unauthenticated: 407,
};

/** Why a request is not let through. The message is for the client: it has no secret in it. */
export class Refusal extends Error {
  readonly reason: EgressRefusal;
  readonly status: number;
  /** Whom it was about, as far as that is known. */
  readonly target: Target | undefined;

  constructor(reason: EgressRefusal, message: string, about: { target?: Target; status?: number } = {}) {
    super(message);
    this.name = 'Refusal';
    this.reason = reason;
    this.status = about.status ?? STATUS[reason];
    this.target = about.target;
  }
}
