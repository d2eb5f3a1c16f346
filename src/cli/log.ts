import { pino } from 'pino';

import type { Config } from '../config/load-config.ts';
import { counted } from '../model/amount-text.ts';
import type { Logger } from '../sync/run/context.ts';
import { type CliContext, note } from './output/io.ts';
import { CLEAR_LINE } from './output/progress.ts';

type Data = Readonly<Record<string, unknown>>;
type LogSettings = Pick<Config, 'logLevel'>;

/** Logs warnings and the work of a worker as lines for people; with `--json`, and for a worker without a terminal, as JSON lines. */
export function createLogger(context: CliContext, config: LogSettings): Logger {
  const { io, flags } = context;
  const isWorker = flags.command === 'worker';
  const isWatched = io.isTerminal && config.logLevel === undefined;
  if (isWorker ? !isWatched : flags.json) {
    // On a terminal warnings only.
    const usual = config.logLevel ?? (io.isTerminal && !isWorker ? 'warn' : 'info');
    return openLog(context, flags.quiet ? 'error' : usual);
  }
  const isWanted = !['error', 'fatal', 'silent'].includes(config.logLevel ?? 'warn');
  const print = (line: string | undefined) => {
    const clear = io.isTerminal && !isWorker ? CLEAR_LINE : '';
    if (isWanted && line !== undefined) note(context, `${clear}${line}\n`);
  };
  return {
    debug: () => undefined,
    info: (data, message) => print(isWorker ? eventText(data, message) : undefined),
    warn: (data, message) => print(warningText(data, message)),
  };
}

/** Logs a line that says why the process ends, whatever the settings, which may be the reason. */
export function logFatal(context: CliContext, data: Data, message: string): void {
  openLog(context, 'fatal').fatal(data, message);
}

function openLog({ io }: Pick<CliContext, 'io'>, level: string) {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Log systems know `warn`, not pino's 40.
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: io.err },
  );
}

/** What a warning says, in its own words: the figures of its data change all the time. */
const REASONS = ['reason', 'warning', 'problem', 'text', 'cause'];

function warningText(data: Data, message: string): string {
  const reason = REASONS.map((key) => textIn(data, key)).find((text) => text !== '') ?? '';
  return `Warning: ${`${textIn(data, 'shop')} ${message}`.trim()}${reason === '' ? '' : `: ${reason}`}`;
}

function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

const CHANGES = [
  ['orders_new', 'new order'],
  ['orders_changed', 'changed order'],
  ['orders_missing', 'missing order'],
] as const;

/** What a worker does, as far as people who watch it want to know. */
function eventText(data: Data, message: string): string | undefined {
  if (message === 'stopping') return 'Stopping.';
  if (message === 'worker started') {
    return `Status page: http://127.0.0.1:${textIn(data, 'port')}/ (${counted(Number(data['shops']), 'shop')}). Ctrl-C stops.`;
  }
  const changes = CHANGES.flatMap(([key, noun]) => {
    const count = Number(data[key] ?? 0);
    return count === 0 ? [] : [counted(count, noun)];
  });
  const isShown = message === 'sweep ended' && changes.length > 0;
  return isShown ? `Shop ${textIn(data, 'shop')}: ${changes.join(', ')}.` : undefined;
}
