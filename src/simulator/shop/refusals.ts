/** Single records that the shop refuses to show. */

/** A content of an order by its id, a user by oid, or the groups; or an order's row, with which no page can be written. */
export type RefusedKind = 'order' | 'row' | 'user' | 'groups';

export class Refusals {
  readonly #refused = new Set<string>();

  /** @param id the order's id or the user's oid; none for the groups */
  add(kind: RefusedKind, id?: number): void {
    this.#refused.add(keyOf(kind, id));
  }

  delete(kind: RefusedKind, id?: number): void {
    this.#refused.delete(keyOf(kind, id));
  }

  clear(): void {
    this.#refused.clear();
  }

  has(kind: RefusedKind, id?: number): boolean {
    return this.#refused.has(keyOf(kind, id));
  }
}

function keyOf(kind: RefusedKind, id: number | undefined): string {
  return `${kind} ${id ?? ''}`;
}
