import { TransientError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { UserResponse } from '../../shop-api/endpoints/get-user.ts';
import type { QuestionPorts } from './ask-presence.ts';
import { asRecordFault, attempt, isRefusal, once } from './record-faults.ts';

const DENIED = 'the shop answers "no such user" for every user, even for users that it served before';

/** What the shop says about a user. */
type UserFinding =
  | { readonly kind: 'found'; readonly raw: JsonObject }
  | { readonly kind: 'not-found' }
  | {
      readonly kind: 'unknown';
      /** Why; a sentence without values. */
      readonly reason: string;
      /** The shop may soon answer differently. */
      readonly isPassing: boolean;
    };

/** @throws TerminalError where the shop refuses the user; UnavailableError, the signal's reason */
type UserQuestion = (userOid: string, signal: AbortSignal) => Promise<UserFinding>;

/** Asks for a user, and compares the answer with that for a user that cannot exist to learn whether there is one. */
export function askUser({ api, ids, listed, knownUsers }: QuestionPorts): UserQuestion {
  let hasUser = false;
  /** Users that were served before and are denied now; empty if any of them is served. */
  const deniedNow = once(async (signal) => {
    const known = await knownUsers();
    for (const userOid of known) {
      const reply = await attempt(api.userResponse(userOid, signal), signal);
      if (reply?.user !== undefined) hasUser = true;
      if (hasUser) return [];
    }
    return known;
  });
  /** A broken route also denies users that it served before; without such users there is no telling. */
  const areAllDenied = async (userOid: string, signal: AbortSignal): Promise<boolean> => {
    if (hasUser) return false;
    const others = (await deniedNow(signal)).filter((other) => other !== userOid);
    return !hasUser && others.length > 0;
  };
  const calibrated = once(async (signal) =>
    attempt(api.userResponse((await ids(signal)).user, signal), signal),
  );
  /** Whether the answer is the one that the shop gives for users that do not exist. */
  const isNotFoundAnswer = async ({ kind }: UserResponse, signal: AbortSignal): Promise<boolean> => {
    const impossible = await calibrated(signal);
    if (impossible?.user !== undefined || impossible?.kind.shape !== kind.shape) return false;
    if (kind.control === 'none' || hasUser) return true;
    return kind.control === 'list' && (await listed(signal)) !== undefined;
  };
  return async (userOid, signal) => {
    const reply = await attempt(api.userResponse(userOid, signal), signal);
    if (reply?.user !== undefined) {
      hasUser = true;
      return { kind: 'found', raw: reply.user.raw };
    }
    // Some shops report missing users as a server error; usually it is a real one, and temporary.
    const isStrong = reply !== undefined && reply.kind.control !== 'record';
    if (isStrong && (await isNotFoundAnswer(reply, signal))) {
      const isDown = await areAllDenied(userOid, signal);
      return isDown ? { kind: 'unknown', reason: DENIED, isPassing: true } : { kind: 'not-found' };
    }
    try {
      const again = await api.user(userOid, signal);
      if (again.kind === 'found') return { kind: 'found', raw: again.raw };
      const reason = 'the shop answers neither with this user nor with its usual "no such user"';
      return { kind: 'unknown', reason, isPassing: false };
    } catch (error) {
      const fault = asRecordFault(error, signal);
      if (reply !== undefined && !isStrong && (await isNotFoundAnswer(reply, signal)))
        return { kind: 'not-found' };
      if (isRefusal(fault)) throw fault;
      return { kind: 'unknown', reason: fault.message, isPassing: fault instanceof TransientError };
    }
  };
}
