/** Follows what a facet counts differently to single days, reads these, and sees whether that explains it. */
import pLimit from 'p-limit';

import { counted } from '../../../amount-text.ts';
import { TerminalError, TransientError, UnavailableError } from '../../../errors.ts';
import type { Facet } from '../../../order-facets.ts';
import {
  bestKnownDay,
  type CountedDay,
  ordersByCountedDay,
  rangeOf,
  unverifiedPlaces,
} from '../../../plan/counts/counted-days.ts';
import { addDoubt, clearDoubt, type DifferingFacet, facetName } from '../../../plan/counts/facets.ts';
import { daysToFind, halve, newerHalf, type Stretch } from '../../../plan/counts/halving.ts';
import type { DueDay } from '../../../plan/days/due-days.ts';
import { type CountFilter, countOrders } from '../../../shop-api/count-orders.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { makeDue } from '../../../warehouse/ops/ledger.ts';
import { countHeldByDay } from '../../../warehouse/orders/live-orders.ts';
import type { Ports, Sweep } from '../../run/context.ts';
import { sweepOrders } from '../orders/sweep-orders.ts';

export type CountRound = {
  readonly sweep: Sweep;
  readonly onFailure: (error: unknown) => void;
  readonly asker: CountAsker;
  readonly days: readonly CountedDay[];
  /** Names of facets that were followed. */
  readonly followed: Set<string>;
  /** Fields of which a mass edit was followed. */
  readonly edited: Set<Facet['by']>;
  /** Names of facets that were asked for the day that is known best. */
  readonly tested: Set<string>;
  /** Places of days that were read for it. */
  readonly read: Set<number>;
};

/** Orders that the shop counts on one day. */
type Claim = { readonly place: number; readonly orders: number };

/** More days than these that are not verified are not counted one by one. */
const MAX_UNVERIFIED = 16;

/**
 * Makes the days due on which the facet differs, and reads them. Where they then hold what the shop counts, its counts are
 * right; else the facet is doubted. If it differs on the day that is known best, that day is all that is read. Days that
 * are not verified are due anyway, and say nothing of the facet. Of a mass edit one day is read, the newest: the days before it
 * are read in the comparisons to come, and as they grow old.
 *
 * @returns whether the time budget allowed it
 */
export async function followFacet(round: CountRound, differing: DifferingFacet): Promise<boolean> {
  const { facet, isOfMass } = differing;
  const name = facetName(facet);
  const claims = await findClaims(round, differing);
  if ('reason' in claims) {
    round.followed.add(name);
    if (claims.reason !== undefined) doubt(round, name, `could not be counted: ${claims.reason}`);
    return true;
  }
  if (!(await readDays(round, claims))) return false;
  const isRight = judge(round, name, claims, await countByDay(round, facet));
  // The other facets of the field would lead to days of the same edit.
  if (isRight && isOfMass) round.edited.add(facet.by);
  return true;
}

async function findClaims(
  round: CountRound,
  { facet, isOfMass, orders }: DifferingFacet,
): Promise<readonly Claim[] | Unanswered> {
  const held = [...(await countByDay(round, facet))];
  const places = unverifiedPlaces(round.days);
  const unverified = places.length > MAX_UNVERIFIED ? [] : places;
  const answers = await Promise.all(
    unverified.map(async (place) => ({
      place,
      answer: await ask(round, facet, { first: place, last: place }, held),
    })),
  );
  for (const { place, answer } of answers) {
    if (answer.orders === undefined) return answer;
    held[place] = answer.orders;
  }
  const difference = orders - sumOf(held, { first: 0, last: held.length - 1 });
  if (difference === 0) return { reason: undefined };
  return (
    (await testFacet(round, facet, held)) ??
    findDays(round, facet, { difference, most: daysToFind(isOfMass) }, held)
  );
}

async function countByDay({ sweep, days }: CountRound, facet: Facet): Promise<readonly number[]> {
  const { db, lease } = sweep.ports;
  return ordersByCountedDay(days, await countHeldByDay(db, lease.shopId, rangeOf(days), facet));
}

/** What the shop counts on the day that is known best, once; undefined where that is what is held, or was asked before. */
async function testFacet(
  round: CountRound,
  facet: Facet,
  held: readonly number[],
): Promise<readonly Claim[] | Unanswered | undefined> {
  const name = facetName(facet);
  const place = bestKnownDay(round.days, held, facet.by === 'all');
  if (round.tested.has(name) || place === undefined) return undefined;
  round.tested.add(name);
  const answer = await ask(round, facet, { first: place, last: place }, held);
  if (answer.orders === undefined) return answer;
  return answer.orders === held[place] ? undefined : [{ place, orders: answer.orders }];
}

/** Halves all days until single ones are left. */
async function findDays(
  round: CountRound,
  facet: Facet,
  { difference, most }: { readonly difference: number; readonly most: number },
  held: readonly number[],
): Promise<readonly Claim[] | Unanswered> {
  round.followed.add(facetName(facet));
  let stretches: readonly Stretch[] = [{ first: 0, last: round.days.length - 1, difference }];
  while (stretches.some(({ first, last }) => first < last)) {
    const answers = await Promise.all(
      stretches.map(async (stretch) => {
        const half = newerHalf(stretch);
        return half && { answer: await ask(round, facet, half, held), held: sumOf(held, half) };
      }),
    );
    const unanswered = answers.find((each) => each?.answer.orders === undefined)?.answer;
    if (unanswered !== undefined && unanswered.orders === undefined) return unanswered;
    const newer = answers.map((each) => each && (each.answer.orders ?? 0) - each.held);
    stretches = halve(stretches, newer, most);
  }
  return stretches.map((stretch) => ({
    place: stretch.first,
    orders: sumOf(held, stretch) + stretch.difference,
  }));
}

type Places = Pick<Stretch, 'first' | 'last'>;

const sumOf = (held: readonly number[], { first, last }: Places) =>
  held.slice(first, last + 1).reduce((sum, orders) => sum + orders, 0);

async function ask(
  { asker, days }: CountRound,
  facet: Facet,
  { first, last }: Places,
  held: readonly number[],
) {
  const [from, to] = [days[first], days[last]];
  if (from === undefined || to === undefined) throw new RangeError('there is no such day to count');
  return asker.ask(facet, from, to, sumOf(held, { first, last }) > 0);
}

/** Makes days due, and reads them: those that are verified, and were not read in this round. */
async function readDays(round: CountRound, claims: readonly Claim[]): Promise<boolean> {
  const { sweep, read, onFailure } = round;
  const { db, lease, shop } = sweep.ports;
  const places = claims.map(({ place }) => place).filter((place) => !read.has(place));
  const due = places
    .toSorted((one, other) => other - one)
    .flatMap((place): readonly DueDay[] => {
      const day = round.days[place];
      if (day === undefined || day.verifiedAt === undefined) return [];
      // The first one speaks for whatever was before it.
      const since = place === 0 && shop.historyFrom === undefined ? undefined : day.since;
      return [{ day: day.day, since, expected: day.orders, moves: day.moves }];
    });
  if (due.length === 0) return true;
  const names = due.map(({ day }) => day.toString());
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, names));
  for (const name of names) sweep.found.days.delete(name);
  for (const place of places) read.add(place);
  sweep.state.counters.daysAdded += due.length;
  return sweepOrders(sweep, due, { onFailure });
}

/** Compares what the shop counted with what is held now that the days were read. @returns whether nothing contradicts it */
function judge(round: CountRound, name: string, claims: readonly Claim[], held: readonly number[]): boolean {
  const { days, sweep } = round;
  const dayOf = ({ place }: Claim) => days[place]?.day.toString() ?? '';
  const proven = claims.filter((claim) => sweep.found.days.get(dayOf(claim)) === 'verified');
  // What was not asked for follows from what was.
  const isNegative = claims.some(({ orders }) => orders < 0);
  const wrong = proven.find(({ place, orders }) => held[place] !== orders);
  if (wrong === undefined && !isNegative) {
    if (proven.length === claims.length) sweep.state.facetDoubts = clearDoubt(sweep.state.facetDoubts, name);
    return true;
  }
  round.followed.add(name);
  const claim =
    wrong &&
    `the shop's filter found ${counted(wrong.orders, 'order')} of ${dayOf(wrong)} where ${held[wrong.place] ?? 0} match`;
  doubt(
    round,
    name,
    isNegative || claim === undefined ? 'the shop counts fewer orders in all than in a part' : claim,
  );
  return false;
}

function doubt({ sweep: { ports, state } }: CountRound, name: string, reason: string): void {
  state.facetDoubts = addDoubt(state.facetDoubts, name, reason, ports.now());
}

const AT_ONCE = 2;
/** Further ones might make the shop look down. */
const MOST_FAILURES = 2;

/** Why the shop does not count; without a reason it was not asked. */
type Unanswered = { readonly orders?: undefined; readonly reason: string | undefined };
type Answer = { readonly orders: number } | Unanswered;

/** Asks a shop to count orders, two requests at a time, until its requests are used up or it fails. */
export class CountAsker {
  readonly #ports: Pick<Ports, 'api' | 'signal'>;
  readonly #limit = pLimit(AT_ONCE);
  #left: number;
  #failures = 0;

  constructor(ports: Pick<Ports, 'api' | 'signal'>, left: number) {
    this.#ports = ports;
    this.#left = left;
  }

  /** Requests that may still be sent. */
  get left(): number {
    return this.#left;
  }

  get isDone(): boolean {
    return this.#left < 1 || this.#failures >= MOST_FAILURES;
  }

  /** @param isHeld whether there should be any: then none is asked for again @throws what concerns more than counts */
  async ask(facet: Facet, first: CountedDay, last: CountedDay, isHeld: boolean): Promise<Answer> {
    const filter = {
      ...toFilter(facet),
      dateFrom: first.since.toPlainDateTime(),
      dateTo: last.day.toPlainDateTime('23:59:59'),
    };
    return this.#limit(async () => {
      const answer = await this.#send(filter);
      return answer.orders === 0 && isHeld ? this.#send(filter) : answer;
    });
  }

  async #send(filter: CountFilter): Promise<Answer> {
    const { api, signal } = this.#ports;
    if (this.isDone) return { reason: undefined };
    this.#left--;
    try {
      return { orders: await countOrders(api, filter, signal) };
    } catch (error) {
      // The walk shows whether it concerns more than counts.
      const isOfCounts = error instanceof TerminalError || error instanceof TransientError;
      if (signal.aborted || !isOfCounts || error instanceof UnavailableError) throw error;
      this.#failures++;
      return { reason: error.message };
    }
  }
}

function toFilter(facet: Facet): CountFilter {
  if (facet.by === 'all') return {};
  if (facet.by === 'summ_from') return { summFrom: facet.amount };
  return facet.by === 'status' ? { status: facet.code } : { payStatus: facet.code };
}
