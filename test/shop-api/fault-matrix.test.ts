import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';

import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { describeError } from '../../src/cli/output/describe-error.ts';
import { ShapeError, TerminalError, TransientError, UnavailableError } from '../../src/model/errors.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { comeBack, gzipBombAnswer, PRIVATE_TEXT } from '../support/fault-proxy-acts.ts';
import { type Fault, type FaultKind, FAULTS } from '../support/fault-proxy-list.ts';
import { CONTENTS, LISTS, startFaultProxy } from '../support/fault-proxy.ts';
import { gzipBomb } from '../support/gzip-bomb.ts';
import { apiOf, NOW, rejection } from './api-of.ts';
import {
  API_KEY,
  type Cell,
  nameOf,
  type Outcome,
  questionTo,
  TIMEOUT_MS,
  triesOf,
  tryCell,
} from './fault-cells.ts';
import { patienceMs } from '../support/patience.ts';

/** Many, since most of them wait. */
const CELLS_AT_ONCE = 32;

const cells: readonly Cell[] = FAULTS.flatMap((fault) =>
  (['list', 'content'] as const).flatMap((route) =>
    (['once', 'for ever'] as const).map((lasts): Cell => ({ fault, route, lasts })),
  ),
);

let simulator: Simulator;
const outcomes = new Map<string, Outcome>();

beforeAll(async () => {
  simulator = await startSimulator({ orders: 60, days: 5, now: NOW });
});
afterAll(() => simulator.close());

const MEGABYTE = 1024 * 1024;

/** Before the matrix, whose bombs would have made the process large already. */
test('a gigabyte that arrives as a megabyte costs neither memory nor time', async () => {
  expect(gunzipSync(gzipBomb(2)).byteLength).toBe(2 * MEGABYTE);
  await using proxy = await startFaultProxy(simulator.url);
  proxy.plan({ path: LISTS, act: gzipBombAnswer, times: Infinity });
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 2);
  const usage = process.cpuUsage();
  const error = await rejection(apiOf(proxy).listOrders({}));
  const { user, system } = process.cpuUsage(usage);
  clearInterval(watch);
  expect(error).toBeInstanceOf(ShapeError);
  expect(proxy.acted).toBe(2);
  expect((peak - before) / MEGABYTE).toBeLessThan(200);
  expect((user + system) / 1_000_000, 'seconds').toBeLessThan(20);
});

const waitOf = ({ pauseMs = 0, isEndless = false }: Fault) => pauseMs + (isEndless ? TIMEOUT_MS : 0);

async function tryAll(): Promise<void> {
  const orderId = String(simulator.shop.orders().find(({ lines }) => lines.length > 2)?.orderId);
  const question = await questionTo(simulator.url, orderId);
  const limit = pLimit(CELLS_AT_ONCE);
  const waitLongest = cells.toSorted((a, b) => waitOf(b.fault) - waitOf(a.fault));
  const tryOne = async (cell: Cell) => {
    try {
      outcomes.set(nameOf(cell), await tryCell(question, cell));
    } catch (error) {
      throw new Error(`the cell could not be tried: ${nameOf(cell)}`, { cause: error });
    }
  };
  await Promise.all(waitLongest.map((cell) => limit(tryOne, cell)));
}

function outcomeOf(cell: Cell): Outcome {
  const outcome = outcomes.get(nameOf(cell));
  if (outcome === undefined) throw new Error(`the cell was not tried: ${nameOf(cell)}`);
  return outcome;
}

const heals = ({ fault, lasts }: Cell) =>
  fault.kind === 'harmless' || (lasts === 'once' && ['transient', 'mismatch'].includes(fault.kind));

function triesUntilGivenUp(fault: Fault): number {
  if (fault.kind === 'transient') return triesOf(fault);
  return fault.kind === 'mismatch' ? 2 : 1;
}

/** What the reader can do. */
const NEXT_STEP = /check |again later|a pause of \d+ s/;

describe('the matrix', () => {
  beforeAll(tryAll);

  describe('a fault that passes heals', () => {
    test.each(cells.filter(heals).map((cell) => [nameOf(cell), cell] as const))('%s', (_name, cell) => {
      const outcome = outcomeOf(cell);
      const { fault } = cell;
      expect(outcome.error).toBeUndefined();
      expect(outcome.isRight, 'the answer is the shop’s').toBe(true);
      expect(outcome.acted).toBeGreaterThan(0);
      // Where time-outs are short, a busy machine may have one more.
      if (fault.isEndless) expect(outcome.tries).toBeGreaterThan(outcome.acted);
      else expect(outcome.tries).toBe(outcome.acted + (fault.kind === 'harmless' ? 0 : 1));
      expect(outcome.elapsedMs).toBeGreaterThan(waitOf(fault) * 0.95);
      if (cell.lasts === 'once') expect(outcome.isNextRight, 'so are the next ones').toBe(true);
    });
  });

  describe('a fault that stays, or that another try cannot heal, ends with an error', () => {
    const ending = cells.filter((cell) => !heals(cell)).map((cell) => [nameOf(cell), cell] as const);

    test.each(ending)('%s', (_name, cell) => {
      const { tries, acted, elapsedMs, error } = outcomeOf(cell);
      const { fault } = cell;
      expect(tries).toBe(triesUntilGivenUp(fault));
      expect(acted, 'each try met with the fault').toBe(tries);
      expect(elapsedMs).toBeGreaterThan(
        (waitOf(fault) * (tries - 1) + (fault.isEndless ? TIMEOUT_MS : 0)) * 0.95,
      );
      expectKind(error, fault.kind);
      if (fault.kind !== 'unavailable') {
        expect(error?.message).toMatch(cell.route === 'list' ? /^GET \/orders: / : /^GET \/orders\/ID: /);
      }
      expect(error?.message, 'the cause').toMatch(fault.says);
      expect(describeError(error).text, 'the next step').toMatch(NEXT_STEP);
    });

    test.each(ending)('that tells nothing private: %s', (_name, cell) => {
      const text = inspect(outcomeOf(cell).error, { depth: Infinity, showHidden: true });
      expect(text).not.toContain(PRIVATE_TEXT);
      expect(text).not.toContain(API_KEY);
      expect(text).not.toContain(Buffer.from(`admin:${API_KEY}`).toString('base64'));
      expect(text.toLowerCase()).not.toContain('authorization');
      const told = personalTexts().filter((personal) => text.includes(personal));
      expect(told).toEqual([]);
    });
  });
});

function expectKind(error: Error | undefined, kind: FaultKind): void {
  if (kind === 'mismatch') return expect(error).toBeInstanceOf(ShapeError);
  if (kind === 'refused') {
    expect(error).toBeInstanceOf(TerminalError);
    return expect(error).toMatchObject({ status: 401 });
  }
  expect(error).toBeInstanceOf(TransientError);
  if (kind !== 'unavailable') return expect(error).not.toBeInstanceOf(UnavailableError);
  expect(error).toBeInstanceOf(UnavailableError);
  const { retryAfterMs = 0 } = error instanceof UnavailableError ? error : {};
  // Two hours were asked for.
  expect(retryAfterMs).toBe(3_600_000);
}

/** What the shop's answers tell of people. */
function personalTexts(): readonly string[] {
  const texts = simulator.shop.users().flatMap(({ email, phone }) => [email, phone]);
  expect(texts.length).toBeGreaterThan(20);
  return texts.filter((text) => text !== '');
}

test('a pause that the shop asks for holds for all requests of the client', async () => {
  await using proxy = await startFaultProxy(simulator.url);
  proxy.plan({ path: CONTENTS, act: comeBack(429, () => '1') });
  const api = apiOf(proxy);
  const began = performance.now();
  const asked = api.orderContent('1');
  await expect.poll(() => api.health.pausedUntil, { interval: 5, timeout: patienceMs() }).toBeDefined();
  expect(proxy.acted).toBe(1);
  await api.listOrders({});
  expect(performance.now() - began).toBeGreaterThan(990);
  await asked;
  expect({ lists: proxy.count(LISTS), contents: proxy.count(CONTENTS) }).toEqual({ lists: 1, contents: 2 });
});
