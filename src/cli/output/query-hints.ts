/** What to do about the mistakes that people make most. No hint is better than a wrong one. */
import { nearestName } from '../../config/nearest-name.ts';
import type { QueryError } from '../../warehouse/query/query-error.ts';
import { fullName, type View } from '../../warehouse/query/read-views.ts';
import { columnHint } from './query-column-hint.ts';
import { LIST_VIEWS, type Mistake, type Readable } from './query-mistake.ts';

export type { Readable } from './query-mistake.ts';

export const ONLY_READS =
  'order-sync sql only reads, with SELECT, VALUES, TABLE, SHOW or EXPLAIN, and changes nothing.';

/** What other databases call them, in lower case. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'].map((part) => [
      part,
      `extract(${part} FROM order_date)`,
    ]),
  ),
  weekday: 'extract(isodow FROM order_date)',
  dayofweek: 'extract(isodow FROM order_date)',
  getdate: 'current_date, or now()',
  curdate: 'current_date',
  sysdate: 'now()',
  isnull: 'coalesce(value, 0)',
  ifnull: 'coalesce(value, 0)',
  nvl: 'coalesce(value, 0)',
  iif: 'CASE WHEN condition THEN value ELSE other END',
  if: 'CASE WHEN condition THEN value ELSE other END',
  datediff: 'one date - another, which are days',
  timestampdiff: 'one date - another, which are days',
  dateadd: "order_date + interval '1 month'",
  date_add: "order_date + interval '1 month'",
  date_sub: "order_date - interval '1 month'",
  date_format: "to_char(order_date, 'YYYY-MM')",
  format: "to_char(value, '999990.00')",
  len: 'length(text)',
  group_concat: "string_agg(text, ', ')",
  countif: 'count(*) FILTER (WHERE condition)',
  sumif: 'sum(value) FILTER (WHERE condition)',
  top: 'LIMIT 5 at the end of the query',
};

type Rule = {
  readonly code: RegExp;
  /** Of the message, where it is the same in all languages of the server. */
  readonly message?: RegExp;
  /** Of the query, with a ⌖ where PostgreSQL points. */
  readonly at?: RegExp;
  /** Of the query without texts and comments. */
  readonly bare?: RegExp;
  /** @param found of `at`, or of `message` */
  readonly hint: string | ((mistake: Mistake, found: readonly (string | undefined)[]) => string | undefined);
};

const UNKNOWN_WORD = /^42(601|703|883|P01)$/;
const DATE = "'2026-11-30'";

/** The first that fits counts. */
const RULES: readonly Rule[] = [
  { code: UNKNOWN_WORD, bare: /`/, hint: 'Names stand without backticks: order_id.' },
  { code: /^42601$/, at: /^\s*⌖\s*(\\|\?|help\b|desc(ribe)?\b|show\b|use\b)/i, hint: LIST_VIEWS },
  { code: /^42704$/, bare: /^show\b/i, hint: LIST_VIEWS },
  {
    code: /^42601$/,
    at: /\bTOP\s*⌖\s*\(?\s*(\d+)/i,
    hint: (_, [, n]) => `Write LIMIT ${n} at the end of the query.`,
  },
  {
    code: /^42601$/,
    at: /\b(?:FROM|JOIN)\s+⌖(?!\w+\s+BY\b)"?(\w+)/i,
    hint: ({ views }, [, name = '']) => meantView(name, views),
  },
  {
    code: /^42601$/,
    at: /,\s*⌖(FROM|WHERE|GROUP|ORDER|LIMIT)\b/i,
    hint: (_, [, word]) => `There is a comma too many before ${word}.`,
  },
  {
    code: /^42601$/,
    at: /\d\.\d+⌖\.\d{4}/,
    hint: `Dates go in single quotes, with the year first: ${DATE}.`,
  },
  {
    code: /^42601$/,
    at: /^\s*⌖(?![a-z])\p{L}/iu,
    hint: 'Queries are written with the English words of SQL: SELECT … FROM … WHERE ….',
  },
  { code: /^42883$/, at: /⌖==/, hint: 'Equality is written with one =.' },
  { code: /^42883$/, message: /(?:date|timestamp with(?:out)? time zone) [<>=!]+ integer\b/, hint: dateHint },
  {
    code: /^42883$/,
    message: /timestamp with(?:out)? time zone ([-+]) integer\b/,
    hint: (_, [, sign]) => `Days are added and taken away as intervals: now() ${sign} interval '30 days'.`,
  },
  {
    code: /^42883$/,
    message: /boolean (=|<>) integer\b/,
    hint: 'It is true or false, not 1 or 0: WHERE is_sale, or WHERE NOT is_sale.',
  },
  {
    code: /^42883$/,
    message: /round\(double precision, integer\)/,
    hint: 'round takes a numeric: round(value::numeric, 2).',
  },
  { code: /^42883$/, at: /⌖(\w+)\s*\(/, hint: (_, [, name = '']) => functionHint(name) },
  {
    code: /^42703$/,
    at: /\b(DATEDIFF|DATEADD|TIMESTAMPDIFF)\s*\(\s*⌖/i,
    hint: (_, [, name = '']) => functionHint(name),
  },
  { code: /^42703$/, hint: columnHint },
  {
    code: /^42702$/,
    hint: 'Several views of the query have it: write the name of one of them, and a dot, before it.',
  },
  {
    code: /^42803$/,
    message: /GROUP BY/,
    at: /⌖((?:\w+\.)?\w+)/,
    hint: (_, [, name]) => `Add ${name} to GROUP BY, or take one value of each group, such as max(${name}).`,
  },
  {
    code: /^42803$/,
    message: /WHERE/,
    hint: 'Conditions on sums and counts go after GROUP BY: HAVING sum(order_sum) > 100.',
  },
  { code: /^2200[78]$/, at: /⌖'(?!\d{4}-)/, hint: `Dates are written with the year first: ${DATE}.` },
  { code: /^42P01$/, hint: viewHint },
  {
    code: /^42501$/,
    hint: ({ role }) => `This command reads as ${role}: the views of bi${ofPersons(role)}.`,
  },
  {
    code: /^57014$/,
    hint: ({ timeout }) =>
      `It took longer than ${timeout}. A filter on order_date makes most queries faster; --timeout 10m allows more.`,
  },
  { code: /^25006$/, hint: ONLY_READS },
];

/** @returns undefined: PostgreSQL's own hint, if any, is the better one */
export function findHint(
  error: QueryError,
  query: string,
  bare: string,
  readable: Readable,
): string | undefined {
  const characters = Array.from(query);
  const split = error.position === undefined ? characters.length : error.position - 1;
  const marked = `${characters.slice(0, split).join('')}⌖${characters.slice(split).join('')}`;
  const mistake = { ...readable, error, marked, query };
  for (const { code, message, at, bare: ofBare, hint } of RULES) {
    if (!code.test(error.code ?? '') || ofBare?.test(bare) === false) continue;
    const said = message?.exec(error.message);
    const found = error.position === undefined && at !== undefined ? null : at?.exec(marked);
    if (said === null || found === null) continue;
    return typeof hint === 'string' ? hint : hint(mistake, found ?? said ?? []);
  }
  return undefined;
}

function dateHint({ marked }: Mistake): string {
  const [, year, month = '', day = ''] = /⌖\S+\s+(\d{4})-(\d\d?)-(\d\d?)\b/.exec(marked) ?? [];
  const written = `'${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}'`;
  return `Dates go in single quotes: ${year === undefined ? DATE : written}.`;
}

function functionHint(name: string): string | undefined {
  const instead = FUNCTIONS[name.toLowerCase()];
  return instead === undefined ? undefined : `In PostgreSQL it is ${instead}.`;
}

const ofPersons = (role: string) =>
  role === 'bi_pii_reader' ? ' and bi_pii' : ' alone; --pii adds those of bi_pii, with personal data';

function viewHint({ error, marked, views, role }: Mistake): string | undefined {
  if (error.hint !== undefined) return undefined;
  const asked = /["«„](?:\w+\.)?([^"»“]+)["»“]/.exec(error.message)?.[1]?.toLowerCase() ?? '';
  const isSource = /(?:\b(?:FROM|JOIN)|,)\s*⌖/i.test(marked);
  if (!isSource) return 'Name it after FROM or JOIN; where FROM gives it another name, use that.';
  const personal = views.find((view) => view.schema === 'bi_pii' && view.name === asked);
  if (personal !== undefined && role === 'bi_reader') {
    return `${fullName(personal)} holds personal data: --pii shows it.`;
  }
  return meantView(asked, readableViews(views, role)) ?? LIST_VIEWS;
}

const readableViews = (views: readonly View[], role: string) =>
  views.filter(({ schema }) => schema === 'bi' || role === 'bi_pii_reader');

function meantView(given: string, views: readonly View[]): string | undefined {
  const asked = given.toLowerCase();
  const names = views.map(({ name }) => name);
  const near = nearestName(asked, names) ?? names.find((name) => asked !== '' && name.includes(asked));
  const meant = views.find(({ name }) => name === near);
  return meant === undefined ? undefined : `Did you mean ${fullName(meant)}?`;
}
