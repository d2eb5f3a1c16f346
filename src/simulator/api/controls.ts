/** Changes how a running shop answers. */
import type { ApiDeps } from './answer.ts';
import type { Dialect } from '../shop/dialect.ts';
import { changeDialect } from '../shop/world.ts';

export type Controls = {
  /**
   * Sets these switches from the next request on. `ids`, `statuses` and `userKeys` have no effect any more: the
   * orders were made with them.
   */
  setDialect(switches: Partial<Dialect>): void;
  /** @param rows undefined removes the cap */
  setPageCap(rows: number | undefined): void;
  /** Takes effect where the dialect's `pages` is `bytes`. */
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
