import { type ResponseKind, judgePresence } from '../../shop-api/response-kind.ts';
import type { QuestionPorts, Questions } from './questions.ts';
import { attempt, once } from './record-faults.ts';

type Control = ResponseKind['control'];

/**
 * Whether an order is there, by comparing the answer with that for an order that cannot be. A shop out of order may say
 * the same of everything, so its word counts only where it is seen to be well: by a content that came in this run, or else
 * by asking for what the list shows.
 */
export function askPresence(ports: QuestionPorts): Pick<Questions, 'contentCame' | 'presence'> {
  const { api, ids, listed } = ports;
  let hasContentCome = false;
  const calibrated = once(async (signal) =>
    attempt(api.orderResponse((await ids(signal)).order, signal), signal),
  );
  const isContentServed = once(async (signal) => {
    const impossible = await calibrated(signal);
    for (const { orderId } of (await listed(signal)) ?? []) {
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (answer?.lines !== undefined && answer.kind.shape !== impossible?.kind.shape) return true;
    }
    return false;
  });
  /** A fault of the moment may have been taken for the word. */
  const isStillSaid = once(async (signal) => {
    const again = await attempt(api.orderResponse((await ids(signal)).order, signal), signal);
    return again?.kind.shape === (await calibrated(signal))?.kind.shape;
  });
  const isBelievable = async (control: Control, isControlled: boolean, signal: AbortSignal) => {
    const isSpared = !isControlled && control !== 'record';
    const isWell = hasContentCome || isSpared || (await isContentServed(signal));
    if (!isWell || control === 'none') return isWell;
    if (control === 'list') return hasContentCome || (await listed(signal)) !== undefined;
    return isStillSaid(signal);
  };
  return {
    contentCame() {
      hasContentCome = true;
    },
    async presence(orderId, isControlled, signal) {
      const impossible = await calibrated(signal);
      // A shop that serves what cannot exist serves what is gone: its answers tell nothing.
      if (impossible === undefined || (impossible.lines ?? 0) > 0) return 'unknown';
      const answer = await attempt(api.orderResponse(orderId, signal), signal);
      if (answer === undefined) return 'unknown';
      const presence = judgePresence(impossible, answer);
      if ((answer.lines ?? 0) > 0) hasContentCome = true;
      if (presence !== 'gone') return presence;
      const { control } = impossible.kind;
      if (!(await isBelievable(control, isControlled, signal))) return 'unknown';
      return control === 'list' ? 'seems-gone' : 'gone';
    },
  };
}
