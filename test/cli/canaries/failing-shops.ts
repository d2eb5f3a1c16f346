/** Failure paths that a shop or a network causes, each on the real command line. */
import { PERSON, SECRETS } from './canary.ts';
import { type HostileShop, SHOP_FAILURES } from './hostile-shop.ts';

export type Path = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** @param port one at which nothing listens */
export function shopPaths(
  shop: HostileShop,
  base: Readonly<Record<string, string>>,
  port: number,
): readonly Path[] {
  const hostile = Object.keys(SHOP_FAILURES).flatMap((failure, index) => {
    const env = { ...base, SHOP_KEY: `hostile-${index}`, SHOP_URL: shop.address(failure) };
    const sync = { name: `sync: ${failure}`, args: ['sync', '--json'], env };
    const link = { name: `login-link: ${failure}`, args: ['login-link', '--email', PERSON.email], env };
    // Retries take seconds: these are not retried.
    return /login|redirect|record/.test(failure) ? [sync, link] : [sync];
  });
  const tls = shop.address('text instead of JSON').replace('http:', 'https:');
  const networks = [
    { name: 'no such host', url: 'https://shop.invalid' },
    { name: 'nothing listens', url: `http://127.0.0.1:${port}` },
    { name: 'no TLS', url: tls },
  ].flatMap(({ name, url }, index) =>
    ['check', 'verify'].map((command) => ({
      name: `${command}: ${name}`,
      args: [command, '--json'],
      env: { ...base, SHOP_KEY: `network-${index}-${command}`, SHOP_URL: url },
    })),
  );
  const proxy = {
    HTTPS_PROXY: `http://user:${SECRETS.databasePassword}@127.0.0.1:${port}`,
    NODE_USE_ENV_PROXY: '1',
  };
  const proxied = { ...base, ...proxy, SHOP_KEY: 'proxied', SHOP_URL: 'https://shop.invalid' };
  return [...hostile, ...networks, { name: 'check: a proxy that is down', args: ['check'], env: proxied }];
}

/** Each setting in turn holds something of ours, or its file is named by it. */
export function settingPaths(
  names: readonly string[],
  base: Readonly<Record<string, string>>,
): readonly Path[] {
  const values = [SECRETS.apiKey, `postgres://me:${SECRETS.databasePassword}@:bad`, PERSON.email];
  return names.flatMap((name) => [
    ...values.map((value, index) => ({
      name: `${name} no. ${index + 1}`,
      args: ['check'],
      // The last one is always wrong, so that none of these gets to work.
      env: { ...base, [name]: value, SYNC_CRON: name === 'SYNC_CRON' ? value : 'never' },
    })),
    {
      name: `${name}_FILE`,
      args: ['check'],
      env: { ...base, [name]: undefined, [`${name}_FILE`]: `/run/${SECRETS.apiKey}` },
    },
  ]);
}
