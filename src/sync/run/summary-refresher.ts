import { databaseSentence } from '../../warehouse/db/database-error.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { maintainSummaries } from '../../warehouse/ops/refresh-summaries.ts';
import type { Logger } from './context.ts';

const REFRESH_MS = 60_000;

/**
 * Recomputes the views' sums that writes made stale: regularly until disposed, and once more at the end unless the
 * process is stopping. The views are exact without it, only slower, so a failure ends nothing.
 */
export function keepSummaries(db: Db, logger: Logger, stopping: AbortSignal): AsyncDisposable {
  let refreshing: Promise<void> | undefined;
  const refresh = () => {
    refreshing ??= maintainSummaries(db)
      .catch((error: unknown) => logger.warn({ reason: databaseSentence(error) }, 'summaries not refreshed'))
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
