import type { AllowMatch } from '../verdict/allow-list.ts';
import type { CanonicalHost } from '../verdict/canonical-host.ts';

/** Where a connection goes, once the list has let it through. */
export interface Destination {
  readonly host: CanonicalHost;
  readonly port: number;
  readonly secure: boolean;
  readonly match: Exclude<AllowMatch, 'no'>;
}
