import { setGlobalProxyFromEnv } from 'node:http';

import type { Config } from '../config/load-config.ts';
import { createWebhook, type Webhook } from '../worker/alerts/webhook.ts';

/** What alerts are posted to, through the proxies of the settings; undefined where nobody is to be told. */
export function openWebhook(config: Config): Webhook | undefined {
  const { alertWebhookUrl: url } = config;
  if (url === undefined) return undefined;
  obeyProxies(config);
  return createWebhook({ url });
}

/** For what is posted by the global `fetch`; clients of shops have proxies of their own. */
export function obeyProxies({ proxy }: Pick<Config, 'proxy'>): void {
  if (proxy === undefined) return;
  const { httpProxy, httpsProxy, noProxy } = proxy;
  setGlobalProxyFromEnv({ http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy });
}
