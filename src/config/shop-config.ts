import { z } from 'zod';

import type { ProxySettings } from '../http/connection-pool.ts';
import { type PRIVACY_SETTINGS, SHOP_SETTINGS } from './settings.ts';

/** One shop, as configured. Times are in milliseconds. */
export type ShopConfig = Readonly<ReturnType<typeof toShopConfig>> & {
  /** Undefined: no proxy. */
  readonly proxy?: ProxySettings | undefined;
};

/** Rows that a list request asks for; how many the shop gives is seen from its answers. */
const PAGE_LIMIT = 500;
const DAY_MS = 86_400_000;

/** What a shop's settings are parsed with, whatever they come from. */
export const SHOP = z.object(SHOP_SETTINGS).refine((settings) => !isUnencrypted(settings), {
  path: ['url'],
  error:
    'would send the API key unencrypted; use https, or set SHOP_ALLOW_HTTP=true (allowHttp: true in a shops file)',
  // Reported together with other problems.
  when: () => true,
});

export function toShopConfig(settings: z.output<typeof SHOP>) {
  const {
    key,
    url,
    allowHttp: _allowed,
    countEvery,
    piiMode,
    piiKeptFields,
    piiSecret,
    ...others
  } = settings;
  return {
    ...others,
    shopKey: key,
    baseUrl: url,
    pageLimit: PAGE_LIMIT,
    /** How often the shop is asked to count its orders; 0: never. */
    countEveryMs: countEvery,
    /** Lines of open orders, users and groups are read again after this. */
    linesMaxAgeMs: 7 * DAY_MS,
    usersMaxAgeMs: 7 * DAY_MS,
    groupsMaxAgeMs: DAY_MS,
    ...toPrivacy({ piiMode, piiKeptFields, piiSecret }),
  };
}

/** What is done with persons. Undefined `pseudonymize`: they are stored. */
export function toPrivacy(settings: z.output<z.ZodObject<typeof PRIVACY_SETTINGS>>) {
  const isPseudonymizing = settings.piiMode === 'pseudonymize';
  return {
    guestSecret: settings.piiSecret,
    pseudonymize: isPseudonymizing ? { keptFields: settings.piiKeptFields ?? [] } : undefined,
  };
}

/** Whether the API key would be sent unencrypted to a host for which this is not allowed. */
export function isUnencrypted({
  url,
  allowHttp: allowed,
}: Partial<Record<'url' | 'allowHttp', string | undefined>>): boolean {
  const { protocol, hostname } = URL.parse(url ?? '') ?? new URL('https://unknown');
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && !isLoopback && allowed !== 'true' && allowed !== hostname;
}
