import { readList } from '../../../shop-api/paging/list.ts';
import { PageFault, type PagingDeps, unlessFault } from '../../../shop-api/paging/request-page.ts';
import { isInWindow, minutesBetween, type Window } from '../../../model/window.ts';

const MAX_LISTS = 60;
const MAX_PAGES = 100;

/** What a part of a day holds, without a proof. */
export type Listed = {
  /** The minutes of its orders. */
  readonly created: readonly Temporal.PlainDateTime[];
  /** How the shop fails at one of its minutes; undefined where it fails at none by itself. */
  readonly failure: string | undefined;
};

/** Lists a part of a day, by halves around what the shop fails at: whoever takes its pages sees all other orders of it. */
export async function listAround(deps: PagingDeps, window: Window): Promise<Listed> {
  const created: Temporal.PlainDateTime[] = [];
  let failure: string | undefined;
  const left = [window];
  for (let lists = 0; lists < MAX_LISTS; lists++) {
    const part = left.pop();
    if (part === undefined) break;
    const list = await unlessFault(readList(deps, part, { maxPages: MAX_PAGES }));
    const minutes = minutesBetween(part.from, part.to);
    if (!(list instanceof PageFault))
      created.push(...list.rows.flatMap((row) => deps.readCreated(row) ?? []));
    else if (minutes > 1) {
      const middle = part.from.add({ minutes: Math.floor(minutes / 2) });
      left.push({ from: part.from, to: middle }, { from: middle, to: part.to });
    } else {
      const minute = part.from.toString({ smallestUnit: 'minute' });
      failure ??= `the shop fails whenever it is asked for the orders of ${minute} (${list.message})`;
    }
  }
  return { created: created.filter((time) => isInWindow(window, time)), failure };
}
