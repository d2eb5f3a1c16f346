import type { SettingNames } from '../model/errors.ts';
import type { ProxySettings } from '../http/connection-pool.ts';
import { withDefaults } from './read-settings.ts';
import { SHARED_SETTINGS, type ShopValues } from './settings.ts';

/** One shop, as configured. Times are in milliseconds. */
export type ShopConfig = Readonly<ReturnType<typeof toShopConfig>> & {
  /** Undefined: no proxy. */
  readonly proxy?: ProxySettings | undefined;
  /** Undefined: they are in the environment. */
  readonly settingNames?: SettingNames | undefined;
};

/** Rows that a list request asks for; how many the shop gives is seen from its answers. */
const PAGE_LIMIT = 500;

/** @param given a missing required value becomes '', since it is reported as a problem anyway */
export function toShopConfig(given: ShopValues) {
  const shared = withDefaults(SHARED_SETTINGS, given);
  return {
    shopKey: given.key ?? '',
    baseUrl: given.url ?? '',
    login: given.login ?? '',
    apiKey: given.apiKey ?? '',
    timezone: given.timezone ?? '',
    maxConcurrency: shared.maxConcurrency,
    maxRps: shared.maxRps,
    pageLimit: PAGE_LIMIT,
    charset: shared.charset,
    historyFrom: shared.historyFrom,
    freshness: shared.freshness,
    /** How often the shop is asked to count its orders; 0: never. */
    countEveryMs: shared.countEvery,
    /** Lines of open orders, users and groups are read again after this. */
    linesMaxAgeMs: 7 * DAY_MS,
    usersMaxAgeMs: 7 * DAY_MS,
    groupsMaxAgeMs: DAY_MS,
    ...toPrivacySettings(given),
  };
}

/** Undefined `pseudonymize`: persons are stored. */
export function toPrivacySettings(values: Pick<ShopValues, 'piiSecret' | 'piiMode' | 'piiKeptFields'>) {
  const isPseudonymizing = values.piiMode === 'pseudonymize';
  return {
    guestSecret: values.piiSecret,
    pseudonymize: isPseudonymizing ? { keptFields: values.piiKeptFields ?? [] } : undefined,
  };
}

const DAY_MS = 86_400_000;

/** Whether the API key would be sent unencrypted to a host for which this is not allowed. */
export function isUnencrypted({
  url,
  allowHttp: allowed,
}: Partial<Record<'url' | 'allowHttp', string | undefined>>): boolean {
  const { protocol, hostname } = new URL(url ?? 'https://unknown');
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && !isLoopback && allowed !== 'true' && allowed !== hostname;
}
