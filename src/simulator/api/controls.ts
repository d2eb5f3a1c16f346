/** How a shop changes its ways in mid-life. */
import type { ApiDeps } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { changeDialect } from '../shop/world.ts';

export type Controls = {
  /**
   * These switches are set so from the next request on, the others stay. `ids`, `statuses` and `userKeys` change
   * nothing any more: they are in the orders.
   */
  setDialect(switches: Partial<Dialect>): void;
  /** @param rows undefined is no cap */
  setPageCap(rows: number | undefined): void;
  /** Counts where the dialect's `pages` is `bytes`. */
  setPageBytes(bytes: number): void;
};

export function makeControls(deps: ApiDeps): Controls {
  const { world, pages } = deps;
  return {
    setDialect: (switches) => changeDialect(world, { ...world.dialect, ...switches }),
    setPageCap: (rows) => {
      pages.cap = rows;
    },
    setPageBytes: (bytes) => {
      pages.bytes = bytes;
    },
  };
}
