/**
 * Finds out whose rows a statement means: which of its tables with rows of shops are bound to a shop, and which are not.
 *
 * A table is bound where its `shop_id` equals something that comes from outside the query, such as a parameter, or the
 * `shop_id` of a table that is bound. All other tables should at least be joined with each other by it.
 */
import { isJsonArray, isJsonObject, type JsonValue } from '../../../src/json.ts';
import { aliasOf, as, conjuncts, names, type Node, nodes, subqueries, text } from './sql-nodes.ts';

/** Something in FROM that has a `shop_id`. Those with the same group have the same shop. */
type Item = { readonly name: string; group: Group };
type Group = { isBound: boolean };

/** What a query gives to the one around it. */
type Result = {
  /** Groups of tables that no condition binds to a shop, each with the names of its tables. */
  readonly unbound: readonly (readonly string[])[];
  /** Whether its rows have a `shop_id`, so that the query around it may still bind them. */
  readonly hasShop: boolean;
};

type Scope = {
  readonly items: Item[];
  /** Of subqueries that are bound by nothing and give no `shop_id`. */
  readonly unbound: (readonly string[])[];
};

/**
 * @param statement a parsed statement
 * @param tables those that have a `shop_id`, as `core.orders`
 * @returns groups of tables whose rows of all shops are read or written together; the last value says whether the result
 *   has a `shop_id`
 */
export function findUnbound(statement: Node, tables: ReadonlySet<string>): Result {
  return readQuery(statement, { tables, ctes: new Map() });
}

type Around = {
  readonly tables: ReadonlySet<string>;
  readonly ctes: ReadonlyMap<string, Result>;
};

const NOTHING: Result = { unbound: [], hasShop: false };

function readQuery(query: Node, around: Around): Result {
  const body =
    as('SelectStmt', query) ?? as('UpdateStmt', query) ?? as('DeleteStmt', query) ?? as('InsertStmt', query);
  return body === undefined ? NOTHING : readBody(body, around);
}

function readBody(body: Node, given: Around): Result {
  const { ctes, unbound: written } = readCtes(body, given);
  const around = { ...given, ctes };
  if (isJsonObject(body['larg']) && isJsonObject(body['rarg'])) {
    const { unbound, hasShop } = united(readBody(body['larg'], around), readBody(body['rarg'], around));
    return { unbound: [...written, ...unbound], hasShop };
  }
  const scope: Scope = { items: [], unbound: [...written] };
  // The target of INSERT has no rows to choose from; that of UPDATE and DELETE does.
  const isInsert = body['cols'] !== undefined || body['selectStmt'] !== undefined;
  if (isJsonObject(body['relation']) && !isInsert) addTable(body['relation'], scope, around);
  const conditions = [...nodes(body['fromClause']), ...nodes(body['usingClause'])].flatMap((from) =>
    addFrom(from, scope, around),
  );
  for (const condition of [...conditions, ...conjuncts(body['whereClause'])]) bind(condition, scope);
  readSubqueries(body, scope, around);
  const groups = Map.groupBy(scope.items, ({ group }) => group);
  const unbound = [...groups].flatMap(([group, items]) =>
    group.isBound ? [] : [items.map(({ name }) => name)],
  );
  const inserted = isJsonObject(body['selectStmt']) ? readQuery(body['selectStmt'], around) : NOTHING;
  return {
    unbound: [...unbound, ...scope.unbound, ...inserted.unbound],
    hasShop: givesShop(body['targetList'], scope) || inserted.hasShop,
  };
}

/** Rows of a UNION that say of which shop they are can be bound by the query around it, like those of one table. */
function united(left: Result, right: Result): Result {
  const sides = [left, right];
  const hasShop = sides.every((side) => side.hasShop);
  const unbound = [...left.unbound, ...right.unbound];
  const isLikeOne = hasShop && sides.every((side) => side.unbound.length <= 1) && unbound.length > 0;
  return { unbound: isLikeOne ? [unbound.flat()] : unbound, hasShop };
}

/** What WITH names, and what is unbound in parts of it that write, whether or not anything reads what they return. */
function readCtes(body: Node, around: Around) {
  const ctes = new Map(around.ctes);
  const unbound: (readonly string[])[] = [];
  const list = isJsonObject(body['withClause']) ? nodes(body['withClause']['ctes']) : [];
  for (const node of list) {
    const cte = as('CommonTableExpr', node);
    const query = cte?.['ctequery'];
    if (!isJsonObject(query)) continue;
    const result = readQuery(query, { ...around, ctes });
    const isRead = as('SelectStmt', query) !== undefined;
    if (!isRead) unbound.push(...result.unbound);
    ctes.set(text(cte?.['ctename']) ?? '', isRead ? result : { ...result, unbound: [] });
  }
  return { ctes, unbound };
}

/** Everything in WHERE, SELECT and so on that is a query of its own; those in FROM are read with it. */
function readSubqueries(body: Node, scope: Scope, around: Around): void {
  const { fromClause: _from, withClause: _with, selectStmt: _inserted, ...rest } = body;
  for (const query of [...subqueries(rest), ...subqueries(joinConditions(body['fromClause']))]) {
    scope.unbound.push(...readQuery(query, around).unbound);
  }
}

function joinConditions(from: JsonValue | undefined): readonly JsonValue[] {
  return nodes(from).flatMap((node) => {
    const join = as('JoinExpr', node);
    if (join === undefined) return [];
    return [join['quals'] ?? null, ...joinConditions([join['larg'] ?? null, join['rarg'] ?? null])];
  });
}

function add(scope: Scope, name: string, isBound: boolean): void {
  scope.items.push({ name, group: { isBound } });
}

function addTable(table: Node, scope: Scope, { tables, ctes }: Around): void {
  const [schema, name] = [text(table['schemaname']), text(table['relname']) ?? ''];
  const alias = aliasOf(table) ?? name;
  if (schema !== undefined) {
    if (tables.has(`${schema}.${name}`)) add(scope, alias, false);
    return;
  }
  addResult(ctes.get(name) ?? NOTHING, alias, scope);
}

/** Its `shop_id` can bind one group of its tables, but no other. */
function addResult({ unbound, hasShop }: Result, alias: string, scope: Scope): void {
  if (hasShop) add(scope, alias, unbound.length === 0);
  scope.unbound.push(...(hasShop ? unbound.slice(1) : unbound));
}

/** @returns the conditions of joins */
function addFrom(node: Node, scope: Scope, around: Around): readonly Node[] {
  const table = as('RangeVar', node);
  if (table !== undefined) addTable(table, scope, around);
  const query = as('RangeSubselect', node);
  if (isJsonObject(query?.['subquery'])) {
    addResult(readQuery(query['subquery'], around), aliasOf(query) ?? '', scope);
  }
  const call = as('RangeFunction', node);
  // Rows that the statement was given say of which shop they are.
  const columns = nodes(call?.['coldeflist']).map((column) => text(as('ColumnDef', column)?.['colname']));
  if (call !== undefined && columns.includes('shop_id')) add(scope, aliasOf(call) ?? '', true);
  const join = as('JoinExpr', node);
  return join === undefined ? [] : addJoin(join, scope, around);
}

function addJoin(join: Node, scope: Scope, around: Around): readonly Node[] {
  const sides = [join['larg'], join['rarg']].map((side) => {
    const before = scope.items.length;
    const conditions = isJsonObject(side) ? addFrom(side, scope, around) : [];
    return { conditions, items: scope.items.slice(before) };
  });
  const [left, right] = sides.map(({ items }) => items[0]);
  if (names(join['usingClause']).includes('shop_id') && left !== undefined && right !== undefined) {
    unite(left.group, right.group, scope);
  }
  return [...sides.flatMap(({ conditions }) => conditions), ...conjuncts(join['quals'])];
}

function unite(one: Group, other: Group, scope: Scope): void {
  one.isBound ||= other.isBound;
  for (const item of scope.items) if (item.group === other) item.group = one;
}

/** Whether a column says of which shop a row is. A key is as good as a number. */
const isShopColumn = (column: string | undefined) => column === 'shop_id' || column === 'shop_key';

/** What a column of a shop belongs to: an item of this scope, or something from outside of it. */
function owner(node: JsonValue | undefined, scope: Scope): Item | 'outside' | undefined {
  const path = names(as('ColumnRef', node)?.['fields']);
  if (!isShopColumn(path.at(-1))) return undefined;
  const table = path.at(-2);
  const own = scope.items.find(({ name }) => table === undefined || name === table);
  if (own !== undefined) return own;
  return 'outside';
}

function bind(condition: Node, scope: Scope): void {
  const link = as('SubLink', condition);
  if (link?.['subLinkType'] === 'ANY_SUBLINK') bindSides(link['testexpr'], undefined, scope);
  const expression = as('A_Expr', condition);
  const isEqual = names(expression?.['name']).join('') === '=';
  if (expression !== undefined && isEqual) bindSides(expression['lexpr'], expression['rexpr'], scope);
}

function bindSides(left: JsonValue | undefined, right: JsonValue | undefined, scope: Scope): void {
  const [rows, others] = [as('RowExpr', left)?.['args'], as('RowExpr', right)?.['args']];
  if (isJsonArray(rows)) {
    const values = isJsonArray(others) ? others : [];
    for (const [index, part] of rows.entries()) bindSides(part, values[index], scope);
    return;
  }
  const [one, other] = [owner(left, scope), owner(right, scope)];
  if (isItem(one) && isItem(other)) unite(one.group, other.group, scope);
  else if (isItem(one)) one.group.isBound = true;
  else if (isItem(other)) other.group.isBound = true;
}

const isItem = (value: Item | 'outside' | undefined): value is Item => typeof value === 'object';

function givesShop(targets: JsonValue | undefined, scope: Scope): boolean {
  if (scope.items.length === 0) return false;
  return nodes(targets).some((target) => {
    const value = as('ResTarget', target);
    if (text(value?.['name']) === 'shop_id') return true;
    const column = names(as('ColumnRef', value?.['val'])?.['fields']).at(-1);
    return column === '*' || column === 'shop_id';
  });
}
