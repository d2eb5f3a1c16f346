import { z } from 'zod';

import { text } from './common.ts';

export const loginLinkDocument = z.strictObject({
  login: text('login of the user'),
  actkey: text('one-time key'),
  link: text('address that logs the user in, once'),
});

/** Settings, named as the environment variables that they are. */
export const simulateDocument = z.strictObject({
  SHOP_KEY: z.string(),
  SHOP_URL: z.string(),
  SHOP_LOGIN: z.string(),
  SHOP_API_KEY: z.string(),
  SHOP_TIMEZONE: z.string(),
  SHOP_MAX_RPS: z.string(),
});
