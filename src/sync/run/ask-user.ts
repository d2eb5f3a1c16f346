import { TransientError } from '../../errors.ts';
import type { UserResponse } from '../../shop-api/endpoints/get-user.ts';
import type { QuestionPorts, Questions } from './questions.ts';
import { asRecordFault, attempt, isRefusal, once } from './record-faults.ts';

const DENIED = 'the shop denies all users, those too that it served before';

/** A user, or that there is none, by comparing the answer with that for a user that cannot be. */
export function askUser({ api, ids, listed, knownUsers }: QuestionPorts): Questions['user'] {
  let hasUserCome = false;
  /** Users that were served before and are denied now; none where one of them is served. */
  const deniedNow = once(async (signal) => {
    const known = await knownUsers();
    for (const userOid of known) {
      const reply = await attempt(api.userResponse(userOid, signal), signal);
      if (reply?.user !== undefined) hasUserCome = true;
      if (hasUserCome) return [];
    }
    return known;
  });
  /** A route that is out of order denies those whom it served before as well; before any was, nothing tells. */
  const areAllDenied = async (userOid: string, signal: AbortSignal): Promise<boolean> => {
    if (hasUserCome) return false;
    const others = (await deniedNow(signal)).filter((other) => other !== userOid);
    return !hasUserCome && others.length > 0;
  };
  const calibrated = once(async (signal) =>
    attempt(api.userResponse((await ids(signal)).user, signal), signal),
  );
  /** Whether the answer is the shop's word for a user that it does not have. */
  const isWord = async ({ kind }: UserResponse, signal: AbortSignal): Promise<boolean> => {
    const impossible = await calibrated(signal);
    if (impossible?.user !== undefined || impossible?.kind.shape !== kind.shape) return false;
    if (kind.control === 'none' || hasUserCome) return true;
    return kind.control === 'list' && (await listed(signal)) !== undefined;
  };
  return async (userOid, signal) => {
    const reply = await attempt(api.userResponse(userOid, signal), signal);
    if (reply?.user !== undefined) {
      hasUserCome = true;
      return { kind: 'found', raw: reply.user.raw };
    }
    // A fault of the server looks like the word of a server that says it so, and mostly passes.
    const isStrong = reply !== undefined && reply.kind.control !== 'record';
    if (isStrong && (await isWord(reply, signal))) {
      const isDown = await areAllDenied(userOid, signal);
      return isDown ? { kind: 'unknown', reason: DENIED, isPassing: true } : { kind: 'not-found' };
    }
    try {
      const again = await api.user(userOid, signal);
      if (again.kind === 'found') return { kind: 'found', raw: again.raw };
      const reason = 'the shop denies this user in other words than one that cannot exist';
      return { kind: 'unknown', reason, isPassing: false };
    } catch (error) {
      const fault = asRecordFault(error, signal);
      if (reply !== undefined && !isStrong && (await isWord(reply, signal))) return { kind: 'not-found' };
      if (isRefusal(fault)) throw fault;
      return { kind: 'unknown', reason: fault.message, isPassing: fault instanceof TransientError };
    }
  };
}
