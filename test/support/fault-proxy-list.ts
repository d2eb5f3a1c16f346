/** Every fault of the matrix, and how a request is to end that meets with it again and again. */
import {
  blackHole,
  closeBeforeHeaders,
  comeBack,
  drippedBody,
  garbage,
  gzipBombAnswer,
  htmlStatus,
  hugeHeader,
  jsonStatus,
  portClosed,
  resetBeforeHeaders,
  resetInBody,
  slowClose,
  stalledBody,
  truncatedJson,
  wrongLength,
} from './fault-proxy-acts.ts';
import type { Act } from './fault-proxy.ts';

/**
 * - `harmless`: the answer is right at the first try
 * - `transient`: tried until the tries are used up
 * - `mismatch`: tried once more, then the answer counts as one of another shape
 * - `refused`: not tried again, since the credentials are at fault
 * - `unavailable`: not tried again, since the shop asks for a longer pause than is made
 */
export type FaultKind = 'harmless' | 'transient' | 'mismatch' | 'refused' | 'unavailable';

export type Fault = {
  readonly name: string;
  readonly kind: FaultKind;
  readonly act: Act;
  /** What the error names as its cause. */
  readonly says: RegExp;
  /** Shortest time between two tries that it asks for. @default 0 */
  readonly pauseMs?: number;
  /** Whether only a time-out ends a try. @default false */
  readonly isEndless?: boolean;
  /** Whether the client meets with a closed port rather than with the act. @default false */
  readonly closesPort?: boolean;
};

const BROKEN = /no (readable )?response from/;
const LATE = /no complete response within \d+ ms/;
const CUT = /not JSON, or is truncated/;
const ASKS_FOR_PAUSE = /HTTP (429|503) and requested a pause of \d+ s/;
const SECOND = 1000;

/** A moment at least this long from now: an HTTP date knows whole seconds only. */
const dateAhead = (seconds: number) => () =>
  new Date(Math.ceil(Date.now() / SECOND + seconds) * SECOND).toUTCString();

const transient = (name: string, says: RegExp, act: Act, more: Partial<Fault> = {}): Fault => ({
  name,
  kind: 'transient',
  act,
  says,
  ...more,
});

const endless = { isEndless: true };
const patient = { pauseMs: 0.9 * SECOND };

export const FAULTS: readonly Fault[] = [
  transient('nothing listens', /nothing listens there; check its address/, portClosed(60), {
    closesPort: true,
  }),
  transient('reset before the headers', BROKEN, resetBeforeHeaders),
  transient('closed before the headers', BROKEN, closeBeforeHeaders),
  transient('reset at once in the body', BROKEN, resetInBody(0)),
  transient('reset after 100 bytes of body', BROKEN, resetInBody(100)),
  transient('stalled body', LATE, stalledBody, endless),
  transient('dripped body', LATE, drippedBody(20), endless),
  transient('black hole', LATE, blackHole, endless),
  transient('close that never comes', LATE, slowClose(Infinity), endless),
  { name: 'close that comes late', kind: 'harmless', act: slowClose(50), says: /^$/ },
  transient('truncated JSON of the right length', CUT, truncatedJson),
  transient('length too long', BROKEN, wrongLength(50)),
  transient('length too short', CUT, wrongLength(-50)),
  transient('header too large', /rules of HTTP \(UND_ERR_HEADERS_OVERFLOW\)/, hugeHeader),
  transient('garbage for a status line', /does not speak HTTP; check its address/, garbage),
  transient('429 without Retry-After', /HTTP 429/, jsonStatus(429)),
  transient('429, Retry-After unreadable', /HTTP 429/, comeBack(429, 'in a while')),
  transient('429, Retry-After in seconds', ASKS_FOR_PAUSE, comeBack(429, '1'), patient),
  transient('429, Retry-After as IMF-fixdate', ASKS_FOR_PAUSE, comeBack(429, dateAhead(1)), patient),
  {
    name: '429, Retry-After past the bound',
    kind: 'unavailable',
    act: comeBack(429, '7200'),
    says: /HTTP 429/,
  },
  {
    name: '503, Retry-After as a date past the bound',
    kind: 'unavailable',
    act: comeBack(503, dateAhead(7200)),
    says: /HTTP 503/,
  },
  transient('500', /HTTP 500/, jsonStatus(500)),
  transient('502', /HTTP 502/, htmlStatus(502)),
  transient('503 with an HTML page', /HTTP 503/, htmlStatus(503)),
  transient('200 with an HTML page', /HTML page.*check its address/, htmlStatus(200)),
  { name: '401', kind: 'refused', act: jsonStatus(401), says: /HTTP 401.*check both/ },
  { name: 'gzip bomb', kind: 'mismatch', act: gzipBombAnswer, says: /larger than \d+ bytes/ },
];
