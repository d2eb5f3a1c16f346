/** What a worker says to a person at a terminal: where its page is, what changed, and what is wrong, once. */
import { counted } from '../../amount-text.ts';
import type { Logger } from '../../sync/run/context.ts';

type Data = Readonly<Record<string, unknown>>;

/** @param print writes a line */
export function workerLines(print: (line: string) => void): Logger {
  const told = new Map<string, string>();
  return {
    debug: () => undefined,
    info: (data, message) => {
      const line = toLine(data, message);
      if (line !== undefined) print(line);
    },
    warn: (data, message) => {
      const about = `${textOf(data, 'shop')} ${message}`.trim();
      const why = REASONS.map((key) => textOf(data, key)).find((text) => text !== '') ?? '';
      if (told.get(about) === why) return;
      told.set(about, why);
      print(`Warning: ${about}${why === '' ? '' : `: ${why}`}`);
    },
  };
}

/** What a warning may be about, in its own words. */
const REASONS = ['reason', 'warning', 'problem', 'text', 'cause'];

function textOf(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

const CHANGES = [
  ['orders_new', 'new order'],
  ['orders_changed', 'changed order'],
  ['orders_missing', 'missing order'],
] as const;

function toLine(data: Data, message: string): string | undefined {
  if (message === 'worker started') {
    return `Status page: http://127.0.0.1:${textOf(data, 'port')}/ (${counted(Number(data['shops']), 'shop')}). Ctrl-C stops.`;
  }
  if (message !== 'sweep ended') return message === 'stopping' ? 'Stopping.' : undefined;
  const changes = CHANGES.flatMap(([key, noun]) => {
    const count = Number(data[key] ?? 0);
    return count === 0 ? [] : [counted(count, noun)];
  });
  return changes.length === 0 ? undefined : `Shop ${textOf(data, 'shop')}: ${changes.join(', ')}.`;
}
