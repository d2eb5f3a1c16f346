/** The content of an order (by id), a user (by oid), all groups, or an order's row, without which no page can be written. */
export type RefusedKind = 'order' | 'row' | 'user' | 'groups';

/** Single records that the shop refuses to show. */
export class Refusals {
  readonly #ids = new Map<RefusedKind, Set<number | undefined>>();

  /** @param id none for the groups */
  add(kind: RefusedKind, id?: number): void {
    this.#ids.set(kind, (this.#ids.get(kind) ?? new Set()).add(id));
  }

  delete(kind: RefusedKind, id?: number): void {
    this.#ids.get(kind)?.delete(id);
  }

  clear(): void {
    this.#ids.clear();
  }

  has(kind: RefusedKind, id?: number): boolean {
    return this.#ids.get(kind)?.has(id) === true;
  }
}
