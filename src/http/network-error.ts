/** What the network's errors mean for a person. */
import { errors } from 'undici';

import { ShapeError, TransientError } from '../model/errors.ts';

/** Where requests go, and what a response has to keep to. */
export type ResponseLimits = {
  readonly baseUrl: string;
  /** For the head of a response, and again for its body. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
};

/** What went wrong while a response was received or unpacked. */
export function toFailure(error: unknown, limits: ResponseLimits): ShapeError | TransientError {
  const { baseUrl, timeoutMs, maxBodyBytes } = limits;
  if (isTooLarge(error))
    return new ShapeError(
      `the response is larger than ${maxBodyBytes} bytes; check in the shop what makes it that large`,
    );
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return new TransientError(`no complete response within ${timeoutMs} ms`);
  return networkError(error, new URL(baseUrl).host);
}

/** Whether a response was not read because it is too large, as it was sent or without its codings. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof errors.ResponseExceededMaxSizeError) return true;
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

const NO_RESPONSE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check SHOP_URL, and that the shop is up',
  ENOTFOUND: 'its host name is unknown; check SHOP_URL and the DNS of this machine',
  EAI_AGAIN: 'its host name could not be looked up now; check the DNS of this machine',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out; check SHOP_URL and firewalls',
  EHOSTUNREACH: 'there is no route to it; check SHOP_URL, and the network of this machine',
};

/** Codes of responses that break the rules of HTTP, or of their own headers. */
const MALFORMED = /^(UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT|Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/;

/** Why a certificate is not accepted, by the code of the error, and what to do. */
const CERTIFICATE_FAULTS: readonly (readonly [code: RegExp, what: string])[] = [
  [
    /EXPIRED/,
    'has expired; it has to be renewed by whoever runs the shop, unless the clock of this machine is wrong',
  ],
  [/NOT_YET_VALID/, 'is not valid yet; check the clock of this machine, and then the certificate'],
  [
    /ALTNAME|HOSTNAME_MISMATCH/,
    'is for another name; set SHOP_URL to a name that it is for, or have whoever runs the shop get one for this name',
  ],
  [
    /SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED|CHAIN/,
    'is from an authority that this machine does not know; name that authority with NODE_EXTRA_CA_CERTS, or have the shop send a complete chain of a public one',
  ],
];

/** Waiting does not help against these. */
const LASTING: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH']);

/**
 * The error of a request that broke off, with a sentence that names the host and, as its cause, the text of the error
 * at the root: the errors themselves carry the request's headers or parts of the response.
 */
export function networkError(error: unknown, host: string): TransientError {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const cause = root instanceof Error ? new Error(`${root.name}: ${root.message.trim()}`) : undefined;
  const code = findCode(error) ?? '';
  if (root instanceof Error && root.name === 'HTTPParserError') {
    // The parser's own words, in which nothing of the response is.
    const what = /\(([^()]*)\)$/.exec(root.message)?.[1] ?? code;
    const isHttp = !/Expected HTTP|HTTP version|status code|INVALID_CONSTANT/.test(what);
    const sentence = isHttp
      ? malformed(host, what)
      : `the server at ${host} does not speak HTTP; check SHOP_URL`;
    return new TransientError(sentence, { cause, mayPass: false });
  }
  const [sentence, mayPass] = describe(code, host);
  return new TransientError(sentence, { cause, mayPass });
}

const malformed = (host: string, what: string) =>
  `the response of ${host} breaks the rules of HTTP (${what}); whoever runs the shop's web server, or a proxy before it, has to mend that`;

function describe(code: string, host: string): readonly [sentence: string, mayPass: boolean] {
  const known = NO_RESPONSE[code];
  if (known !== undefined) return [`no response from ${host}: ${known}`, !LASTING.has(code)];
  if (/CERT|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code)) {
    const what =
      CERTIFICATE_FAULTS.find(([sign]) => sign.test(code))?.[1] ??
      `is not accepted (${code}); check it with whoever runs the shop`;
    return [`the TLS certificate of ${host} ${what}`, false];
  }
  const check = 'check whether SHOP_URL should begin with http://, or name another port';
  if (/SSL|TLS|EPROTO/.test(code)) return [`${host} does not speak TLS (${code}); ${check}`, false];
  if (MALFORMED.test(code)) return [malformed(host, code), true];
  return [`no readable response from ${host} (${code || 'the connection failed'})`, true];
}

function findCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return findCode(cause.errors[0]);
  }
  return undefined;
}
