import type { Answer } from './as-reader.ts';
import type { Panel } from './dashboards.ts';

const TIMESTAMPTZ = 1184;
const TEXT = 25;
/** smallint, integer, bigint, numeric and double precision. */
export const NUMBERS: readonly number[] = [21, 23, 20, 1700, 701];

/** What keeps a panel from showing the answer to its query; nothing where it can. */
export function panelProblems(panel: Panel, answer: Answer): readonly string[] {
  const { rows } = answer;
  return [
    ...shapeProblems(panel, answer),
    ...(rows.length === 0 ? ['there are no rows'] : []),
    ...(panel.type === 'stat' && rows.some((row) => row.includes(null)) ? ['a value is NULL'] : []),
  ];
}

/** What would keep it from that even if there were nothing to show, as in a range without orders. */
export function shapeProblems(panel: Panel, { fields, rows }: Answer): readonly string[] {
  const names = fields.map(({ name }) => name);
  const named = [
    ...panel.fieldConfig.overrides.map(({ matcher }) => matcher.options),
    ...(panel.options.xField === undefined ? [] : [panel.options.xField]),
  ];
  const missing = named.filter((name) => !names.includes(name)).map((name) => `there is no column ${name}`);
  return [...missing, ...SHAPES[panel.type](panel, { fields, rows })];
}

type Shape = (panel: Panel, answer: Answer) => readonly string[];

const SHAPES: Readonly<Record<Panel['type'], Shape>> = {
  table: () => [],
  stat: (panel, { fields, rows }) => [
    ...(rows.length <= 1 ? [] : ['a stat shows one row']),
    // Without a choice of fields it shows the numbers.
    ...(panel.options.reduceOptions?.fields === '' ? notNumeric(fields) : []),
  ],
  timeseries: (panel, { fields: [time, ...values], rows }) => [
    ...(panel.targets[0].format === 'time_series' ? [] : ['the format is not time_series']),
    ...(time?.name === 'time' && time.type === TIMESTAMPTZ ? [] : ['the first column is not a time']),
    ...(isAscending(rows.map(([moment]) => Date.parse(moment ?? ''))) ? [] : ['the times do not ascend']),
    ...(values.length > 0 ? notNumeric(values) : ['there is no value']),
  ],
  bargauge: (panel, answer) => [
    ...(panel.options.reduceOptions?.values === true ? [] : ['it would show the last row alone']),
    ...(panel.fieldConfig.defaults.min === 0 ? [] : ['its bars do not begin at 0']),
    ...bars(answer),
  ],
  barchart: (_, answer) => bars(answer),
};

function bars({ fields: [label, ...values] }: Answer): readonly string[] {
  return [
    ...(label?.type === TEXT ? [] : ['the first column is not a text']),
    ...(values.length > 0 ? notNumeric(values) : ['there is no value']),
  ];
}

function notNumeric(fields: Answer['fields']): readonly string[] {
  return fields.filter(({ type }) => !NUMBERS.includes(type)).map(({ name }) => `${name} is not a number`);
}

function isAscending(times: readonly number[]): boolean {
  return times.every((time, at) => at === 0 || time > (times[at - 1] ?? Infinity));
}
