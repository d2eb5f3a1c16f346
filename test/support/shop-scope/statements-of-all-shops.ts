/** A statement that is meant for all shops. */
type OfAllShops = {
  readonly pattern: RegExp;
  /** The tables of which it reads the rows of all shops, by the names that it gives them. @default the only one */
  readonly of?: readonly string[];
};

/** All other statements of the program name their shop. */
const OF_ALL_SHOPS: readonly OfAllShops[] = [
  // Runs and rejections have numbers of their own.
  { pattern: /^(?:select|update) .*"ops"\."runs" .*where "ops"\."runs"\."run_id" = / },
  { pattern: /^DELETE FROM ops\.(?:runs|rejections) WHERE (?:run_id|rejection_id) IN \( SELECT/ },
  // The shops themselves: a list of them, or who has, or had, a key.
  {
    pattern:
      /^select .* from "core"\."shops" (?:order by|where "core"\."shops"\."former_keys"|where shop_id <> )/,
  },
  // What is shown of many shops at once: the rows say of which each is.
  { pattern: /^select "shop_id", .* from "ops"\."(?:shop_figures|shop_state)"$/ },
  { pattern: /^SELECT s\.shop_id AS "shopId", s\.shop_key AS "shopKey", fresh\.at/, of: ['s'] },
  { pattern: /^WITH rules AS \( SELECT s\.shop_id, s\.timezone, today\.day/, of: ['k', 'c'] },
  { pattern: /^SELECT s\.shop_key AS shop, s\.base_url, s\.timezone/, of: ['s'] },
  { pattern: /^SELECT a\.shop_id AS "shopId", s\.shop_key AS "shopKey", a\.alert_id/, of: ['a'] },
  { pattern: /^SELECT shop, first_day::text, last_day::text, .* FROM bi\.unverified_days/ },
  { pattern: /^SELECT shop, history_from::text FROM bi\.shops/ },
  // What there is to export: the rows are of one shop each.
  { pattern: /^SELECT shop_id, shop FROM bi\.shops ORDER BY shop$/ },
  { pattern: /^SELECT shop_id, shop, to_char\(order_date, 'YYYY-MM'\) AS month, count/ },
  { pattern: /^SELECT DISTINCT shop_id, shop, to_char\(/ },
  { pattern: /^SELECT shop, to_char\(day, 'YYYY-MM'\) AS month, .* FROM bi\.completeness/ },
  { pattern: /^SELECT f\.shop_id, f\.field FROM ops\.payload_fields f/, of: ['f'] },
  { pattern: /^SELECT DISTINCT shop_id, kind, shown_code AS code/ },
  // The latest runs of each shop, by their numbers.
  {
    pattern:
      /^select .* from "ops"\."runs" where "ops"\."runs"\."run_id" in \( SELECT r\.run_id FROM core\.shops s CROSS JOIN LATERAL/,
    of: ['runs', 's'],
  },
  // Alerts that were closed long ago.
  { pattern: /^DELETE FROM ops\.alerts WHERE \(shop_id, alert_id\) IN/ },
  // Whose orders show what changed outside of them.
  { pattern: /^SELECT DISTINCT shop_id FROM ops\.view_changes$/ },
  // Refreshes the summaries of all shops, whose marks say which.
  {
    pattern: /^SELECT ops\.refresh_summaries\(\)::int AS marks/,
    of: ['stale_sums'],
  },
];

/** Whether a statement is to read or write these groups of tables, each with their names, of all shops. */
export function areOfAllShops(sql: string, groups: readonly (readonly string[])[]): boolean {
  const found = OF_ALL_SHOPS.find(({ pattern }) => pattern.test(sql));
  if (found === undefined) return groups.length === 0;
  if (found.of === undefined) return groups.length <= 1;
  const left = new Set(found.of);
  return groups.every((names) => names.some((name) => left.delete(name)));
}
