/** What the proxy that a sandbox's sidecar forwards to is reached at, and what the sandbox is known by there. */
export interface OnwardProxy {
  secure: boolean;
  host: string;
  port: number;
  /** The value of `Proxy-Authorization`. Secret. */
  authorization: string;
}

/** What the proxy's programs are started with, parsed and checked. */
export interface ProxySettings {
  listenPort: number;
  adminPort: number;
  /** Secret. */
  adminKey: string;
  containerId: string;
  /** The sidecar only forwards, to this one. */
  onward: OnwardProxy | undefined;
}

export class SettingsError extends Error {}

const CONTAINER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const SECRET = /^[\x21-\x7e]{16,512}$/;

/** Parses the environment; throws one `SettingsError` that names everything wrong with it, and no secret. */
export function parseSettings(env: Record<string, string | undefined>): ProxySettings {
  const problems: string[] = [];
  const port = (name: string, fallback: number): number => {
    const value = env[name] ? Number(env[name]) : fallback;
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
    problems.push(`${name} must be a port, 0 to 65535`);
    return fallback;
  };

  const listenPort = port('PROXY_LISTEN_PORT', 8080);
  const adminPort = port('ADMIN_PORT', 8081);
  if (listenPort === adminPort && listenPort !== 0) {
    problems.push('PROXY_LISTEN_PORT and ADMIN_PORT must be different');
  }
  const adminKey = env.PROXY_ADMIN_KEY ?? '';
  if (!SECRET.test(adminKey)) {
    problems.push('PROXY_ADMIN_KEY is required: 16 to 512 printable characters without blanks');
  }
  const containerId = env.CONTAINER_ID ?? '';
  if (containerId !== '' && !CONTAINER_ID.test(containerId)) {
    problems.push('CONTAINER_ID must be letters, digits, dots, hyphens and underscores');
  }
  const onward = parseOnward(env, containerId, problems);
  if (problems.length > 0) throw new SettingsError(problems.join('; '));
  return { listenPort, adminPort, adminKey, containerId, onward };
}

function parseOnward(
  env: Record<string, string | undefined>,
  containerId: string,
  problems: string[],
): OnwardProxy | undefined {
  const { EGRESS_PROXY_URL: address = '', EGRESS_CREDENTIAL: credential = '' } = env;
  if (address === '' && credential === '') return undefined;
  const url = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(address) ? URL.parse(address) : null;
  if (url === null) {
    problems.push(
      'EGRESS_PROXY_URL must be http://host:port or https://host:port, as EGRESS_CREDENTIAL is set',
    );
  }
  if (!SECRET.test(credential)) {
    problems.push(
      'EGRESS_CREDENTIAL must be 16 to 512 printable characters without blanks, as EGRESS_PROXY_URL is set',
    );
  }
  if (containerId === '') problems.push('CONTAINER_ID is required with EGRESS_PROXY_URL');
  return url === null ? undefined : parseOnwardProxy(url.href, containerId, credential);
}

/** The proxy at an `http://` or `https://` address, for a container that shows this credential. */
export function parseOnwardProxy(address: string, container: string, credential: string): OnwardProxy {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization: `Basic ${Buffer.from(`${container}:${credential}`).toString('base64')}`,
  };
}
