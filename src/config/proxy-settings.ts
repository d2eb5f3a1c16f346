import type { ProxySettings } from '../http/connection-pool.ts';

/** This machine is never reached through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, or the same in lower case, as curl does.
 *
 * @param report receives every problem
 * @returns undefined where no proxy is set, or Node.js was told not to follow these variables
 */
export function readProxySettings(
  env: Readonly<Record<string, string | undefined>>,
  report: (problem: string) => void,
): ProxySettings | undefined {
  if (env['NODE_USE_ENV_PROXY'] === '0') return undefined;
  const read = (name: string) => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const [httpProxy, httpsProxy] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) => {
    const address = toAddress(read(name));
    // The value may hold a password.
    if (address === undefined)
      report(`${name} must be the address of an HTTP proxy: http://proxy.example:3128`);
    return address ?? '';
  });
  if (!httpProxy && !httpsProxy) return undefined;
  const noProxy = [read('NO_PROXY'), LOOPBACK].filter((hosts) => hosts !== '').join(',');
  return { httpProxy: httpProxy ?? '', httpsProxy: httpsProxy ?? '', noProxy };
}

/** The variables that proxies are read from, alone. */
export function proxyVariables(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(
    [...names, 'NODE_USE_ENV_PROXY'].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @returns '' for none; undefined for what is no address of an HTTP proxy */
function toAddress(text: string): string | undefined {
  if (text === '') return '';
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.href : undefined;
}
