/** What an egress proxy beside a container is known by, and what the container is known by at one that serves many. */
export interface ProxySecrets {
  proxyAdminKey: string;
  egressCredential: string;
}

/** For the proxy beside a container, on backends where it has one. `url`: of the one that it passes on to. */
export function proxyEnvironment(secrets: ProxySecrets, url: string | undefined): Record<string, string> {
  return {
    PROXY_ADMIN_KEY: secrets.proxyAdminKey,
    ...(url === undefined ? {} : { EGRESS_PROXY_URL: url, EGRESS_CREDENTIAL: secrets.egressCredential }),
  };
}
