import type { ProxySettings } from '../http/connection-pool.ts';

/**
 * Reads Node's own proxy settings, which our own connection pool does not follow by itself.
 *
 * @returns undefined unless Node.js was told to follow `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`
 */
export function readProxySettings(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const isOn = env['NODE_USE_ENV_PROXY'] === '1' || env['NODE_OPTIONS']?.includes('--use-env-proxy');
  const read = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  return isOn
    ? { httpProxy: read('http_proxy'), httpsProxy: read('https_proxy'), noProxy: read('no_proxy') }
    : undefined;
}
