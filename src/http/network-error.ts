/** What the network's errors mean for a person. */
import { TransientError } from '../model/errors.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check SHOP_URL, and that the shop is up',
  ENOTFOUND: 'its host name is unknown; check SHOP_URL and the DNS of this machine',
  EAI_AGAIN: 'its host name could not be looked up now; check the DNS of this machine',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out; check SHOP_URL and firewalls',
  EHOSTUNREACH: 'there is no route to it; check SHOP_URL, and the network of this machine',
};

/** What is wrong with a response that breaks the rules of HTTP or of its own headers, by the code of the error or, of the parser, by its message. */
const MALFORMED: readonly (readonly [sign: RegExp, what: string])[] = [
  [/content.length/i, 'its Content-Length is wrong, or at odds with its body or its Transfer-Encoding'],
  [/chunk|transfer.encoding/i, 'its body is not divided into chunks as HTTP asks for'],
  [/headers?.overflow/i, 'its headers are too large'],
  [/header|token|\b(CR|LF)\b/i, 'one of its headers is malformed'],
  [/^Z_|BROTLI|^ERR__ERROR_FORMAT/, 'its body is not compressed as its Content-Encoding says'],
];

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
  const code = findCode(error);
  if (root instanceof Error && root.name === 'HTTPParserError') {
    // Of its message only what is known goes on.
    const malformed = findMalformed(root.message);
    const message = malformed
      ? malformedSentence(host, malformed)
      : `the server at ${host} does not speak HTTP; check SHOP_URL`;
    return new TransientError(message, { cause, mayPass: false });
  }
  return new TransientError(toSentence(code, host), { cause, mayPass: !isLasting(code) });
}

const isLasting = (code = '') => LASTING.has(code) || isCertificateFault(code) || isTlsFault(code);
const isCertificateFault = (code: string) => /CERT|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code);
const findMalformed = (code = '') => MALFORMED.find(([pattern]) => pattern.test(code))?.[1];
const isTlsFault = (code: string) => /SSL|TLS|EPROTO/.test(code);

function toSentence(code: string | undefined, host: string): string {
  const known = code === undefined ? undefined : SENTENCES[code];
  if (known !== undefined) return `no response from ${host}: ${known}`;
  if (code !== undefined && isCertificateFault(code)) {
    const known = CERTIFICATE_FAULTS.find(([pattern]) => pattern.test(code))?.[1];
    return `the TLS certificate of ${host} ${known ?? `is not accepted (${code}); check it with whoever runs the shop`}`;
  }
  if (code !== undefined && isTlsFault(code)) {
    return `${host} does not speak TLS (${code}); check whether SHOP_URL should begin with http://, or name another port`;
  }
  const malformed = findMalformed(code);
  if (malformed !== undefined) return malformedSentence(host, malformed);
  return `no readable response from ${host} (${code ?? 'the connection failed'})`;
}

function malformedSentence(host: string, what: string): string {
  return `the response of ${host} cannot be read: ${what}; whoever runs the shop's web server, or a proxy before it, has to mend that`;
}

function findCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return findCode(cause.errors[0]);
  }
  return undefined;
}
