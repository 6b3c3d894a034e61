/** What makes programs ask the proxy on this port of loopback. */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1';
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
    ANTHROPIC_BASE_URL: `${proxy}/anthropic`,
    ANTHROPIC_BEDROCK_BASE_URL: proxy,
  };
}
