import { isRefusal, TerminalError, TransientError, UnavailableError } from '../../model/errors.ts';

/** @returns the error if it may concern only one record @throws any other error, and the signal's reason */
export function asRecordFault(error: unknown, signal: AbortSignal): TerminalError | TransientError {
  signal.throwIfAborted();
  if (error instanceof UnavailableError) throw error;
  const isOfShop = error instanceof TerminalError && error.scope === 'shop';
  if (!isOfShop && (error instanceof TransientError || error instanceof TerminalError)) return error;
  throw error;
}

/** Why a record could not be read. @param what of the shop, where it refuses that alone */
export function faultText(fault: TerminalError | TransientError, what: string): string {
  return isRefusal(fault) ? `the shop refuses ${what} (HTTP ${fault.status})` : fault.message;
}

/** @returns undefined after a fault of one record @throws an error that concerns more than one */
export async function attempt<Answer>(
  asked: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    asRecordFault(error, signal);
    return undefined;
  }
}

/** Asks once for all callers; again only after an error. */
export function once<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): (signal: AbortSignal) => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  const first = async (signal: AbortSignal) => {
    try {
      return await ask(signal);
    } catch (error) {
      asked = undefined;
      throw error;
    }
  };
  return (signal) => (asked ??= first(signal));
}
