import { LEARNED_DAYS, learnRhythm } from '../../plan/alerts/silence.ts';
import { isPast } from '../../plan/clock/clock-bounds.ts';
import { databaseSentence } from '../../warehouse/db/database-error.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { parseInstant } from '../../warehouse/db/instant.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import {
  readOrderHours,
  readSurveyedAt,
  saveShopFigures,
  saveSurvey,
} from '../../warehouse/reports/shop-figures.ts';
import type { RunContext } from './context.ts';

const COUNT_EVERY_MS = 60_000;
const SURVEY_EVERY_MS = 86_400_000;

/** Keeps what the status page shows of a shop: it watches many shops, and can count none. */
export type FigureKeeper = {
  /** Counts what a long run has done so far, once a minute. */
  readonly keep: () => Promise<void>;
  /** Counts at the end of a run; once a day it also reads through all orders. */
  readonly finish: () => Promise<void>;
};

export function keepFigures(
  db: Db,
  lease: Lease,
  { logger, now }: Pick<RunContext, 'logger' | 'now'>,
): FigureKeeper {
  let countedMs = performance.now();
  const count = async () => {
    await saveShopFigures(db, lease, now());
    countedMs = performance.now();
  };
  const survey = async () => {
    const counted = await readOrderHours(db, lease.shopId, LEARNED_DAYS, now());
    const rhythm = counted && learnRhythm(counted.hours, counted.fromMs);
    await saveSurvey(db, lease, rhythm, now());
  };
  return {
    async keep() {
      if (performance.now() - countedMs >= COUNT_EVERY_MS) await count();
    },
    async finish() {
      try {
        await count();
        if (await isSurveyDue(db, lease, now())) await survey();
      } catch (error) {
        // They are counted again by the next run that does something, and no order depends on them.
        logger.warn({ reason: databaseSentence(error) }, 'figures not counted');
      }
    },
  };
}

async function isSurveyDue(db: Db, lease: Lease, now: Temporal.Instant): Promise<boolean> {
  const surveyedAt = parseInstant(await readSurveyedAt(db, lease.shopId));
  if (surveyedAt === undefined || !isPast(surveyedAt, now)) return true;
  return now.since(surveyedAt).total('milliseconds') >= SURVEY_EVERY_MS;
}
