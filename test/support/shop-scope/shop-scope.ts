/**
 * Finds out whose rows a statement means: which of its tables with rows of shops are bound to a shop, and which are not.
 *
 * A table is bound where its `shop_id` equals something that comes from outside the query, such as a parameter, or the
 * `shop_id` of a table that is bound. All other tables should at least be joined with each other by it. Where rows of several shops are
 * grouped, numbered or made distinct, they are so for each shop.
 */
import { isJsonObject, type JsonValue } from '../../../src/model/json.ts';
import { bind, type Group, isShopColumn, type Item, type Names, type Scope, unite } from './bind-shops.ts';
import {
  aliasOf,
  as,
  conjuncts,
  functionName,
  names,
  type Node,
  nodes,
  subqueries,
  text,
  windows,
} from './sql-nodes.ts';

/** What a query gives to the one around it. */
type Result = {
  /** Groups of tables that no condition binds to a shop, each with the names of its tables. */
  readonly unbound: readonly Names[];
  /** The group that the query around it may still bind: it has the `shop_id` of the rows. */
  readonly open: Names | undefined;
  /** Whether its rows have a `shop_id`. */
  readonly hasShop: boolean;
  /** Whether its rows may be those of several shops. */
  readonly isOfMany: boolean;
  /** The group of the query around it whose shop its rows have. */
  readonly like?: Group | undefined;
};

/**
 * @param statement a parsed statement
 * @param tables those that have a `shop_id`, as `core.orders`, or `old_rows` in a trigger
 * @returns groups of tables whose rows of all shops are read or written together; `saysShop` where there is none, or only one, and
 *   each row of the result says of which shop it is
 */
export function findUnbound(statement: Node, tables: ReadonlySet<string>) {
  const { unbound, open } = readQuery(statement, { tables, ctes: new Map() });
  return { unbound: open === undefined ? unbound : [open, ...unbound], saysShop: unbound.length === 0 };
}

type Around = {
  readonly tables: ReadonlySet<string>;
  readonly ctes: ReadonlyMap<string, Result>;
  readonly outer?: Scope;
};

const NOTHING: Result = { unbound: [], open: undefined, hasShop: false, isOfMany: false };

function readQuery(query: Node, around: Around): Result {
  const copied = as('CopyStmt', query)?.['query'];
  if (isJsonObject(copied)) return readQuery(copied, around);
  const body =
    as('SelectStmt', query) ?? as('UpdateStmt', query) ?? as('DeleteStmt', query) ?? as('InsertStmt', query);
  return body === undefined ? NOTHING : readBody(body, around);
}

function readBody(body: Node, given: Around): Result {
  const { ctes, unbound: written } = readCtes(body, given);
  const around = { ...given, ctes };
  if (isJsonObject(body['larg']) && isJsonObject(body['rarg'])) {
    const { unbound, ...rest } = united(readBody(body['larg'], around), readBody(body['rarg'], around));
    return { unbound: [...written, ...unbound], ...rest };
  }
  const scope: Scope = { items: [], unbound: [...written], outer: given.outer };
  // The target of INSERT has no rows to choose from; that of UPDATE and DELETE does.
  const isInsert = body['cols'] !== undefined || body['selectStmt'] !== undefined;
  if (isJsonObject(body['relation']) && !isInsert) addTable(body['relation'], scope, around);
  const conditions = [...nodes(body['fromClause']), ...nodes(body['usingClause'])].flatMap((from) =>
    addFrom(from, scope, around),
  );
  for (const condition of [...conditions, ...conjuncts(body['whereClause'])]) bind(condition, scope);
  readSubqueries(body, scope, around);
  const isOfMany = scope.items.some(({ group }) => !group.isOfOne);
  if (isOfMany) scope.unbound.push(...findMixed(body));
  const groups = Map.groupBy(scope.items, ({ group }) => group);
  const ofMany = [...groups.keys()].filter((group) => !group.isOfOne);
  const givers = new Set(findGivers(body['targetList'], scope).map(({ group }) => group));
  // Rows of several shops each are to be joined by the shop.
  const isTogether = (group: Group) => group.isBound && (group.isOfOne || ofMany.length === 1);
  const namesOf = (isGiven: boolean) =>
    [...groups].flatMap(([group, items]) =>
      isTogether(group) || givers.has(group) !== isGiven ? [] : [items.map(({ name }) => name)],
    );
  const [open, ...others] = namesOf(true);
  const inserted = isJsonObject(body['selectStmt']) ? readQuery(body['selectStmt'], around) : NOTHING;
  return {
    unbound: [...others, ...namesOf(false), ...scope.unbound, ...inserted.unbound],
    open: open ?? inserted.open,
    hasShop: givers.size > 0 || saysShop(body['targetList']) || inserted.hasShop,
    isOfMany,
    like: [...givers].find(({ like }) => like !== undefined)?.like,
  };
}

/** Rows of a UNION that say of which shop they are can be bound by the query around it, like those of one table. */
function united(left: Result, right: Result): Result {
  const sides = [left, right];
  const hasShop = sides.every((side) => side.hasShop);
  const opens = sides.flatMap(({ open }) => (open === undefined ? [] : [open]));
  const unbound = sides.flatMap((side) => side.unbound);
  const isOfMany = sides.some((side) => side.isOfMany);
  if (!hasShop) return { unbound: [...opens, ...unbound], open: undefined, hasShop, isOfMany };
  return { unbound, open: opens.length === 0 ? undefined : opens.flat(), hasShop, isOfMany };
}

/** What would put rows of several shops together. */
function findMixed(body: Node): readonly Names[] {
  const targets = nodes(body['targetList']).map((target) => as('ResTarget', target));
  const isByShop = (parts: JsonValue | undefined) =>
    nodes(parts).some((part) => {
      const position = as('A_Const', part)?.['ival'];
      const target = isJsonObject(position) ? targets[Number(position['ival']) - 1] : undefined;
      const column = names(as('ColumnRef', target?.['val'] ?? part)?.['fields']).at(-1);
      return isShopColumn(column) || column === 'shop';
    });
  const { groupClause, distinctClause, windowClause } = body;
  const isOn = nodes(distinctClause).some((part) => Object.keys(part).length > 0);
  const defined = nodes(windowClause).map((node) => as('WindowDef', node));
  const parted = [...defined, ...windows(body).filter(({ name }) => name === undefined)];
  return [
    ...(groupClause !== undefined && !isByShop(groupClause) ? [['GROUP BY']] : []),
    ...(isOn && !isByShop(distinctClause) ? [['DISTINCT ON']] : []),
    ...parted.flatMap((window) =>
      window?.['refname'] === undefined && !isByShop(window?.['partitionClause']) ? [['PARTITION BY']] : [],
    ),
  ];
}

/** What WITH names, and what is unbound in parts of it that write, whether or not anything reads what they return. */
function readCtes(body: Node, around: Around) {
  const ctes = new Map(around.ctes);
  const unbound: Names[] = [];
  const list = isJsonObject(body['withClause']) ? nodes(body['withClause']['ctes']) : [];
  for (const node of list) {
    const cte = as('CommonTableExpr', node);
    const query = cte?.['ctequery'];
    if (!isJsonObject(query)) continue;
    const result = readQuery(query, { ...around, ctes });
    const isRead = as('SelectStmt', query) !== undefined;
    if (!isRead) unbound.push(...allUnbound(result));
    ctes.set(text(cte?.['ctename']) ?? '', isRead ? result : { ...result, unbound: [], open: undefined });
  }
  return { ctes, unbound };
}

/** Everything in WHERE, SELECT and so on that is a query of its own; those in FROM are read with it. */
function readSubqueries(body: Node, scope: Scope, around: Around): void {
  const { fromClause: _from, withClause: _with, selectStmt: _inserted, ...rest } = body;
  for (const query of [...subqueries(rest), ...subqueries(joinConditions(body['fromClause']))]) {
    scope.unbound.push(...allUnbound(readQuery(query, around)));
  }
}

function joinConditions(from: JsonValue | undefined): readonly JsonValue[] {
  return nodes(from).flatMap((node) => {
    const join = as('JoinExpr', node);
    if (join === undefined) return [];
    return [join['quals'] ?? null, ...joinConditions([join['larg'] ?? null, join['rarg'] ?? null])];
  });
}

function add(scope: Scope, name: string, isBound: boolean, isOfOne = isBound): void {
  scope.items.push({ name, group: { isBound, isOfOne } });
}

function addTable(table: Node, scope: Scope, { tables, ctes }: Around): void {
  const [schema, name] = [text(table['schemaname']), text(table['relname']) ?? ''];
  const alias = aliasOf(table) ?? name;
  const cte = schema === undefined ? ctes.get(name) : undefined;
  if (cte !== undefined) addResult(cte, alias, scope);
  else if (tables.has(schema === undefined ? name : `${schema}.${name}`)) add(scope, alias, false);
}

function addResult({ unbound, open, hasShop, isOfMany, like }: Result, alias: string, scope: Scope): void {
  if (like !== undefined && scope.items.some(({ group }) => group === like))
    scope.items.push({ name: alias, group: like });
  else if (hasShop) add(scope, alias, open === undefined, open === undefined && !isOfMany);
  scope.unbound.push(...unbound);
}

const allUnbound = ({ unbound, open }: Result) => (open === undefined ? unbound : [open, ...unbound]);

/** @returns the conditions of joins */
function addFrom(node: Node, scope: Scope, around: Around): readonly Node[] {
  const table = as('RangeVar', node);
  if (table !== undefined) addTable(table, scope, around);
  const query = as('RangeSubselect', node);
  if (isJsonObject(query?.['subquery'])) {
    addResult(readQuery(query['subquery'], { ...around, outer: scope }), aliasOf(query) ?? '', scope);
  }
  const call = as('RangeFunction', node);
  if (call !== undefined && around.tables.has(functionName(call))) add(scope, aliasOf(call) ?? '', false);
  // Rows that the statement was given say of which shop they are.
  const columns = nodes(call?.['coldeflist']).map((column) => text(as('ColumnDef', column)?.['colname']));
  if (call !== undefined && columns.includes('shop_id')) add(scope, aliasOf(call) ?? '', true, false);
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

/** The items whose `shop_id` is that of the rows of a result. */
function findGivers(targets: JsonValue | undefined, scope: Scope): readonly Item[] {
  return nodes(targets).flatMap((target) => {
    const path = names(as('ColumnRef', as('ResTarget', target)?.['val'])?.['fields']);
    const table = path.at(-2);
    if (path.at(-1) === '*') return scope.items.filter(({ name }) => table === undefined || name === table);
    if (path.at(-1) !== 'shop_id') return [];
    return scope.items.filter(({ name }) => table === undefined || name === table).slice(0, 1);
  });
}

/** Whether a result has a `shop_id` that comes from anywhere. */
function saysShop(targets: JsonValue | undefined): boolean {
  return nodes(targets).some((target) => text(as('ResTarget', target)?.['name']) === 'shop_id');
}
