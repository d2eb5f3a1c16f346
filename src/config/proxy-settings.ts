import type { ProxySettings } from '../http/connection-pool.ts';

/**
 * Node's own settings of proxies, which connections of one's own do not follow by themselves.
 *
 * @returns undefined where Node.js was not told to follow `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`
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
