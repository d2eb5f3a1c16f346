/** Warnings are logged when they begin, when they change and when they are over, not each time that they are found again. */
import type { Logger } from '../sync/run/context.ts';

type Data = Readonly<Record<string, unknown>>;

/** What a warning says, in its own words: figures beside it change all the time. */
const REASONS = ['reason', 'warning', 'problem', 'text', 'cause'];
/** Each of them is news. */
const EVENTS: ReadonlySet<string> = new Set(['alert raised', 'sweep given up']);
const SWEEP_FAILED = 'sweep failed';
/** What no sweep can end is over when it was not found for so long. */
const OVER_AFTER_MS = 600_000;

type Open = {
  readonly shop: string;
  readonly message: string;
  readonly reason: string;
  /** It was found since the last sweep of its shop ended. */
  isFound: boolean;
  foundMs: number;
};

/** Why something is warned of, in the words of the data; empty where they say nothing. */
export function reasonIn(data: Data): string {
  return REASONS.map((key) => textIn(data, key)).find((text) => text !== '') ?? '';
}

export function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

/** @param nowMs of a clock that is never set back */
export function logChanges(logger: Logger, nowMs = () => performance.now()): Logger {
  const open = new Map<string, Open>();
  /** A sweep that ended well would have found everything; one that did not shows at least that sweeps do not fail any more. */
  const endSweep = (shop: string, isWhole: boolean) => {
    for (const [key, warning] of open) {
      if (warning.shop !== shop || shop === '') continue;
      const isOver = !warning.isFound && (isWhole || warning.message === SWEEP_FAILED);
      warning.isFound = false;
      if (!isOver) continue;
      open.delete(key);
      logger.info({ shop, warning: warning.message }, 'warning over');
    }
  };
  const pass = (level: 'debug' | 'info') => (data: Data, message: string) => {
    logger[level](data, message);
    if (message === 'sweep ended') endSweep(textIn(data, 'shop'), data['status'] === 'ok');
  };
  return {
    debug: pass('debug'),
    info: pass('info'),
    warn(data, message) {
      if (EVENTS.has(message)) return logger.warn(data, message);
      const [shop, reason, foundMs] = [textIn(data, 'shop'), reasonIn(data), nowMs()];
      const key = JSON.stringify([shop, message, textIn(data, 'from')]);
      const before = open.get(key);
      const isKnown = before?.reason === reason && (shop !== '' || foundMs - before.foundMs < OVER_AFTER_MS);
      open.set(key, { shop, message, reason, isFound: true, foundMs });
      if (!isKnown) logger.warn(data, message);
    },
  };
}
