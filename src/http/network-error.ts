/** What the network's errors mean for a person. */
import { TransientError } from '../errors.ts';

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
  if (root instanceof Error && root.name === 'HTTPParserError') {
    const message = `the server at ${host} does not speak HTTP; check SHOP_URL`;
    return new TransientError(message, { cause, mayPass: false });
  }
  const code = findCode(error);
  return new TransientError(toSentence(code, host), { cause, mayPass: !isLasting(code) });
}

const isLasting = (code = '') => LASTING.has(code) || isCertificateFault(code) || isTlsFault(code);
const isCertificateFault = (code: string) => /CERT|UNABLE_TO_/.test(code);
const isTlsFault = (code: string) => /SSL|TLS|EPROTO/.test(code);

function toSentence(code: string | undefined, host: string): string {
  const known = code === undefined ? undefined : SENTENCES[code];
  if (known !== undefined) return `no response from ${host}: ${known}`;
  if (code !== undefined && isCertificateFault(code)) {
    const advice =
      'name its certificate authority with NODE_EXTRA_CA_CERTS, and check the clock of this machine';
    return `the TLS certificate of ${host} is not trusted (${code}); ${advice}`;
  }
  if (code !== undefined && isTlsFault(code)) {
    return `${host} does not speak TLS (${code}); check whether SHOP_URL should begin with http://, or name another port`;
  }
  return `no readable response from ${host} (${code ?? 'the connection failed'})`;
}

function findCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return findCode(cause.errors[0]);
  }
  return undefined;
}
