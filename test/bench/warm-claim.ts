import { byTurns, type Figure } from './figure.ts';
import type { WarmClaims } from './warm-claims.ts';

export const CLAIM_ROUNDS = 40;

/** A new conversation's container from a filled pool. */
export async function warmClaim(claims: WarmClaims): Promise<Figure> {
  claims.refills = false;
  const result = await byTurns(
    CLAIM_ROUNDS,
    () => claims.claim(),
    () => claims.floor(),
  );
  return {
    name: 'a container from the warm pool, state in Redis',
    unit: 'ms',
    ours: result.ours,
    reference: { name: 'one LPOP and one /health', value: result.reference },
    goal: 4,
  };
}
