import { setGlobalProxyFromEnv } from 'node:http';

import type { Config } from '../config/load-config.ts';
import { createWebhook, type Webhook } from '../worker/alerts/webhook.ts';

/** What alerts are posted to, through the proxies of the settings; undefined where there is none. */
export function openWebhook(config: Config): Webhook | undefined {
  const { alertWebhookUrl: url, proxy } = config;
  if (url === undefined) return undefined;
  if (proxy !== undefined) {
    // It is posted to by the global `fetch`; clients of shops have proxies of their own.
    const { httpProxy, httpsProxy, noProxy } = proxy;
    setGlobalProxyFromEnv({ http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy });
  }
  return createWebhook({ url });
}
