/** Who may see what the ops server shows, and what browsers and proxies may do with it. */
import { isIP } from 'node:net';

import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { timingSafeEqual } from 'hono/utils/buffer';

/** The policy disables what text from outside might inject into a page: only files of this server are loaded. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'",
};

/** For every answer, errors included. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
};

/** What no foreign site can have as its name: localhost, a name without a dot, and what is reserved for private networks. */
const OWN_NAME = /^(?:(?:.+\.)?(?:localhost|local|internal)|[^.]+)$/;

/**
 * Refuses requests under a name that others may own. A page of a foreign site can have its own name resolved to this server, and
 * then read what it answers (DNS rebinding); the name stays in `Host`. An address in its place shows that no name was resolved.
 */
export const requireOwnName: MiddlewareHandler = async (context, next) => {
  const host = URL.parse(`http://${context.req.header('host') ?? ''}`)?.hostname ?? '';
  const name = host.replace(/^\[|\]$|\.$/g, '');
  if (isIP(name) > 0 || OWN_NAME.test(name)) return next();
  return context.text(
    'without a password this worker does not answer under that name: use its IP address or localhost, or set OPS_PASSWORD\n',
    421,
  );
};

/** Basic authentication with any user name. How long it takes says nothing about the password. */
export function requirePassword(password: string): MiddlewareHandler {
  return basicAuth({
    realm: 'order-sync',
    invalidUserMessage: 'enter the password of OPS_PASSWORD, with any user name\n',
    verifyUser: (_user, entered) => timingSafeEqual(entered, password),
  });
}
