/** What the network's errors mean for a person. */
import { ShapeError, TerminalError, TransientError } from '../model/errors.ts';

/** Where requests go, and what a response has to keep to. */
export type ResponseLimits = {
  readonly baseUrl: string;
  /** For the head of a response, and again for its body. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
};

const NONE = 'no response from HOST';
const CERTIFICATE = 'the TLS certificate of HOST';
const MALFORMED =
  "the response of HOST breaks the rules of HTTP (CODE); whoever runs the shop's web server, or a proxy before it, has to fix that";

/** By the code of the error, the first that fits: whether it may pass by itself, and what it means. */
const MEANINGS: readonly (readonly [code: RegExp, mayPass: boolean, sentence: string])[] = [
  [/ECONNREFUSED/, false, `${NONE}: nothing listens there; check its address, and that the shop is up`],
  [/ENOTFOUND/, false, `${NONE}: its host name is unknown; check its address and the DNS of this machine`],
  [/EAI_AGAIN/, true, `${NONE}: its host name could not be looked up now; check the DNS of this machine`],
  [
    /EHOSTUNREACH/,
    false,
    `${NONE}: there is no route to it; check its address, and the network of this machine`,
  ],
  [/ECONNRESET/, true, `${NONE}: the connection was reset`],
  [/UND_ERR_SOCKET/, true, `${NONE}: the connection was closed`],
  [/ETIMEDOUT/, true, `${NONE}: the connection timed out`],
  [/UND_ERR_CONNECT_TIMEOUT/, true, `${NONE}: the connection timed out; check its address and firewalls`],
  [
    /CERT.*EXPIRED/,
    false,
    `${CERTIFICATE} has expired; it has to be renewed by whoever runs the shop, unless the clock of this machine is wrong`,
  ],
  [
    /CERT_NOT_YET_VALID/,
    false,
    `${CERTIFICATE} is not valid yet; check the clock of this machine, and then the certificate`,
  ],
  [
    /CERT_ALTNAME|HOSTNAME_MISMATCH/,
    false,
    `${CERTIFICATE} is for another name; use an address with a name that it is for, or have whoever runs the shop get one for this name`,
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|CERT_CHAIN/,
    false,
    `${CERTIFICATE} is from an authority that this machine does not know; name that authority with NODE_EXTRA_CA_CERTS, or have the shop send a complete chain of a public one`,
  ],
  [/CERT/, false, `${CERTIFICATE} is not accepted (CODE); check it with whoever runs the shop`],
  [
    /SSL|TLS|EPROTO/,
    false,
    'HOST does not speak TLS (CODE); check whether its address should begin with http://, or name another port',
  ],
  [/UND_ERR_(HEADERS|BODY)_TIMEOUT/, true, 'no complete response within LIMIT ms'],
  [/UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT|Z_/, true, MALFORMED],
  [
    /Expected HTTP|HTTP version|status code|INVALID_CONSTANT/,
    false,
    'the server at HOST does not speak HTTP; check its address',
  ],
  // The parser's own words, in which nothing of the response is.
  [/[a-z]/, false, MALFORMED],
];
const UNKNOWN = [/^/, true, 'no readable response from HOST (CODE)'] as const;

/**
 * The error of a request that broke off, or whose response could not be unpacked or read. As its cause it has the text of the
 * error at the root: the errors themselves carry the request's headers or parts of the response.
 */
export function toFailure(error: unknown, limits: ResponseLimits): TerminalError | TransientError {
  if (error instanceof TerminalError || error instanceof TransientError) return error;
  const { baseUrl, timeoutMs, maxBodyBytes } = limits;
  const code = findCode(error) ?? '';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE')
    return new ShapeError(
      `the response is larger than ${maxBodyBytes} bytes; check in the shop what makes it that large`,
    );
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const cause = root instanceof Error ? new Error(`${root.name}: ${root.message.trim()}`) : undefined;
  const [, mayPass, sentence] = MEANINGS.find(([sign]) => sign.test(code)) ?? UNKNOWN;
  const message = sentence
    .replace('HOST', new URL(baseUrl).host)
    .replace('CODE', code || 'the connection failed');
  return new TransientError(message.replace('LIMIT', `${timeoutMs}`), { cause, mayPass });
}

function findCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause.name === 'HTTPParserError') return /\(([^()]*)\)/.exec(cause.message)?.[1];
    if (cause instanceof AggregateError && cause.errors.length > 0) return findCode(cause.errors[0]);
  }
  return undefined;
}
