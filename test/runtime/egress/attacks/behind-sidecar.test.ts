import { CONNECT } from './connect.ts';
import { FRAMING } from './framing.ts';
import { HEADERS } from './headers.ts';
import { HOSTS } from './hosts.ts';
import { ROUTES } from './routes.ts';
import { runAttacks } from './run-attacks.ts';

// The same where two programs read every request, one after the other.
const behindSidecar = { behindSidecar: true };
runAttacks('behind a sidecar, a host that is written as', HOSTS, behindSidecar);
runAttacks('behind a sidecar, a tunnel to', CONNECT, behindSidecar);
runAttacks('behind a sidecar, a request with', FRAMING, behindSidecar);
runAttacks('behind a sidecar, a request in which there is', HEADERS, behindSidecar);
runAttacks('behind a sidecar, a way out:', ROUTES, behindSidecar);
