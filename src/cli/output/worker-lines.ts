/** What is logged, as lines for people: where a worker's page is, what changed, and what is wrong. */
import { counted } from '../../model/amount-text.ts';
import type { Logger } from '../../sync/run/context.ts';

type Data = Readonly<Record<string, unknown>>;

/** What a warning says, in its own words: figures beside it change all the time. */
const REASONS = ['reason', 'warning', 'problem', 'text', 'cause'];
const reasonIn = (data: Data) => REASONS.map((key) => textIn(data, key)).find((text) => text !== '') ?? '';

function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

/** @param print writes a line */
export function workerLines(print: (line: string) => void): Logger {
  return {
    debug: () => undefined,
    info: (data, message) => {
      const line = toLine(data, message);
      if (line !== undefined) print(line);
    },
    warn: (data, message) => {
      const about = `${textIn(data, 'shop')} ${message}`.trim();
      const why = reasonIn(data);
      print(`Warning: ${about}${why === '' ? '' : `: ${why}`}`);
    },
  };
}

const CHANGES = [
  ['orders_new', 'new order'],
  ['orders_changed', 'changed order'],
  ['orders_missing', 'missing order'],
] as const;

function toLine(data: Data, message: string): string | undefined {
  if (message === 'worker started') {
    return `Status page: http://127.0.0.1:${textIn(data, 'port')}/ (${counted(Number(data['shops']), 'shop')}). Ctrl-C stops.`;
  }
  if (message !== 'sweep ended') return message === 'stopping' ? 'Stopping.' : undefined;
  const changes = CHANGES.flatMap(([key, noun]) => {
    const count = Number(data[key] ?? 0);
    return count === 0 ? [] : [counted(count, noun)];
  });
  return changes.length === 0 ? undefined : `Shop ${textIn(data, 'shop')}: ${changes.join(', ')}.`;
}
