import { nextStep } from '../../../next-step.ts';
import { UsageError } from '../../../errors.ts';
import { readShopReports, type ShopReport } from '../../../sync/report/shop-report.ts';
import { CONDITIONS, describeCondition } from '../../../sync/report/shop-condition.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { describeShop, overview, type ShopView } from '../../output/dashboard.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { NO_SHOP_YET } from '../../stored-shops.ts';

/** `status`: how complete and fresh each shop's copy is, and how its last runs went. Uses the database only. */
export async function statusCommand(context: CliContext, options: Given<'shop'>) {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const now = Temporal.Now.instant();
  const reports = await readShopReports(db, () => undefined, now, { only: options.shop, counts: 'now' });
  if (options.shop !== undefined && reports.length === 0) {
    throw new UsageError(
      `--shop ${options.shop}: the warehouse has no such shop, or it was retired; ${nextStep('list shops')} lists them all`,
    );
  }
  const views = reports
    .map((report) => toView(report, now))
    .toSorted((one, other) => rank(one) - rank(other));
  const documents = views.map(({ report }) => report);
  printResult(context, documents, statusText(views, now, context.io.outColumns()));
}

function toView({ status, policy }: ShopReport, now: Temporal.Instant): ShopView {
  return { report: status, policy, condition: describeCondition(status, now) };
}

const rank = ({ condition }: ShopView) => CONDITIONS.indexOf(condition.word);

function statusText(views: readonly ShopView[], now: Temporal.Instant, columns: number | undefined): string {
  if (views.length === 0) return NO_SHOP_YET;
  const shops = views.map((view) => describeShop(view, now, columns));
  return [...(views.length > 1 ? [overview(views, columns)] : []), ...shops].join('\n');
}
