/** The statements of the program that are meant to read the rows of all shops. All others name theirs. */
const OF_ALL_SHOPS: readonly RegExp[] = [
  // A run has a number of its own.
  /^(?:select|update) .*"ops"\."runs" .*where "ops"\."runs"\."run_id" = /,
  // The shops themselves: a list of them, or who has, or had, a key.
  /^select .* from "core"\."shops" (?:order by|where "core"\."shops"\."former_keys"|where shop_id <> )/,
  // What is shown of many shops at once: the rows say of which each is.
  /^select "shop_id", .* from "ops"\."(?:shop_figures|shop_state)"$/,
  /^SELECT s\.shop_id, s\.shop_key, fresh\.at AS fresh_at/,
  /^SELECT a\.shop_id, s\.shop_key, a\.alert_id/,
  /^SELECT shop_id, 'order' AS kind, shown_code AS code/,
  // The latest runs of each shop, by their numbers.
  /^select .* from "ops"\."runs" where "ops"\."runs"\."run_id" in \( SELECT r\.run_id FROM core\.shops s CROSS JOIN LATERAL/,
  // Alerts that were closed long ago.
  /^DELETE FROM ops\.alerts WHERE \(shop_id, alert_id\) IN/,
  // Refreshes the summaries of all shops, whose marks say which.
  /^SELECT days::int, customers::int FROM ops\.refresh_summaries\(\)/,
];

export function isOfAllShops(sql: string): boolean {
  return OF_ALL_SHOPS.some((pattern) => pattern.test(sql));
}
