/** What conditions say of the shop of rows: which tables of a query have the same one, and which have one from outside of it. */
import { isJsonArray, type JsonValue } from '../../../src/model/json.ts';
import { as, names, type Node } from './sql-nodes.ts';

/** Something in FROM that has a `shop_id`. Those with the same group have the same shop. */
export type Item = { readonly name: string; group: Group };
export type Group = {
  isBound: boolean;
  /** Whether it is bound to a single shop. */
  isOfOne: boolean;
  /** That of the query around it which it is bound to, where that is LATERAL. */
  like?: Group;
};

export type Names = readonly string[];

export type Scope = {
  readonly items: Item[];
  /** Of subqueries that are bound by nothing and give no `shop_id`. */
  readonly unbound: Names[];
  /** Of the query around a LATERAL one. */
  readonly outer: Scope | undefined;
};

export function unite(one: Group, other: Group, scope: Scope): void {
  one.isBound ||= other.isBound;
  one.isOfOne ||= other.isOfOne;
  for (const item of scope.items) if (item.group === other) item.group = one;
}

/** Whether a column says of which shop a row is. A key is as good as a number. */
export const isShopColumn = (column: string | undefined) => column === 'shop_id' || column === 'shop_key';

/** What a column of a shop belongs to: an item of this scope, or something from outside of it. */
function owner(node: JsonValue | undefined, scope: Scope): Item | 'outside' | undefined {
  const path = names(as('ColumnRef', node)?.['fields']);
  if (!isShopColumn(path.at(-1))) return undefined;
  const table = path.at(-2);
  const own = scope.items.find(({ name }) => table === undefined || name === table);
  if (own !== undefined) return own;
  return 'outside';
}

export function bind(condition: Node, scope: Scope): void {
  const link = as('SubLink', condition);
  if (link?.['subLinkType'] === 'ANY_SUBLINK') bindSides([link['testexpr'], undefined], false, scope);
  const expression = as('A_Expr', condition);
  const isEqual = names(expression?.['name']).join('') === '=';
  if (expression === undefined || !isEqual) return;
  bindSides([expression['lexpr'], expression['rexpr']], expression['kind'] === 'AEXPR_OP', scope);
}

type Sides = readonly [JsonValue | undefined, JsonValue | undefined];

/** @param isOfOne whether both sides are single values */
function bindSides([left, right]: Sides, isOfOne: boolean, scope: Scope): void {
  const [rows, others] = [as('RowExpr', left)?.['args'], as('RowExpr', right)?.['args']];
  if (isJsonArray(rows)) {
    const values = isJsonArray(others) ? others : [];
    for (const [index, part] of rows.entries()) bindSides([part, values[index]], isOfOne, scope);
    return;
  }
  const [one, other] = [owner(left, scope), owner(right, scope)];
  if (isItem(one) && isItem(other)) unite(one.group, other.group, scope);
  else if (isItem(one)) bindGroup(one.group, isOfOne, findOuter(right, scope));
  else if (isItem(other)) bindGroup(other.group, isOfOne, findOuter(left, scope));
}

function bindGroup(group: Group, isOfOne: boolean, like: Group | undefined): void {
  group.isBound = true;
  group.isOfOne ||= isOfOne;
  if (like !== undefined) group.like = like;
}

/** The group of a table of the query around this one. */
function findOuter(node: JsonValue | undefined, { outer }: Scope): Group | undefined {
  const path = names(as('ColumnRef', node)?.['fields']);
  return isShopColumn(path.at(-1)) ? outer?.items.find(({ name }) => name === path.at(-2))?.group : undefined;
}

const isItem = (value: Item | 'outside' | undefined): value is Item => typeof value === 'object';
