import { databaseSentence } from '../../warehouse/db/database-error.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { refreshSummaries } from '../../warehouse/ops/refresh-summaries.ts';
import { analyzeGrownTables } from '../../warehouse/db/statistics.ts';
import type { Logger } from './context.ts';

const REFRESH_MS = 60_000;

/**
 * Counts anew what writes have made stale of the views' sums: now and then until disposed of, and then once more, unless
 * the process is about to stop. The views are exact without it, only slower, so a failure ends nothing.
 */
export function keepSummaries(db: Db, logger: Logger, stopping: AbortSignal): AsyncDisposable {
  let refreshing: Promise<void> | undefined;
  const refresh = () => {
    refreshing ??= analyzeAndRefresh(db)
      .catch((error: unknown) => logger.warn({ reason: databaseSentence(error) }, 'sums not refreshed'))
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (stopping.aborted) return;
      await refreshing;
      await refresh();
    },
  };
}

/** Analyzed before, so that the sums are planned for the tables as they are; and after, for those who read the sums. */
async function analyzeAndRefresh(db: Db): Promise<void> {
  await analyzeGrownTables(db);
  const refreshed = await refreshSummaries(db);
  if ((refreshed?.days ?? 0) > 0) await analyzeGrownTables(db);
}
