/** The little that is needed of PostgreSQL's syntax trees. A node is an object with one key, its kind. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/model/json.ts';

export type Node = JsonObject;

/** The statements that a parser returned. */
export function statementsIn(parsed: unknown): readonly Node[] {
  const tree = JSON.parse(JSON.stringify(parsed));
  const list = isJsonObject(tree) ? nodes(tree['stmts']) : [];
  return list.flatMap(({ stmt }) => (isJsonObject(stmt) ? [stmt] : []));
}

/** What a node of this kind holds; undefined where it is of another kind. */
export function as(kind: string, node: JsonValue | undefined): Node | undefined {
  const inner = isJsonObject(node) ? node[kind] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

export function nodes(list: JsonValue | undefined): readonly Node[] {
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function aliasOf(node: Node): string | undefined {
  return isJsonObject(node['alias']) ? text(node['alias']['aliasname']) : undefined;
}

/** The names in a list of strings, such as the parts of `o.shop_id`; `*` is a part too. */
export function names(list: JsonValue | undefined): readonly string[] {
  return nodes(list).map((part) => text(as('String', part)?.['sval']) ?? '*');
}

/** The conditions of which all must hold. */
export function conjuncts(condition: JsonValue | undefined): readonly Node[] {
  if (!isJsonObject(condition)) return [];
  const bool = as('BoolExpr', condition);
  return bool?.['boolop'] === 'AND_EXPR' ? nodes(bool['args']).flatMap(conjuncts) : [condition];
}

/** The queries inside an expression, such as `(SELECT ...)` or `EXISTS (SELECT ...)`, but not those inside of them. */
export function subqueries(value: JsonValue | undefined): readonly Node[] {
  if (isJsonArray(value)) return value.flatMap(subqueries);
  if (!isJsonObject(value)) return [];
  const select = as('SelectStmt', value);
  if (select !== undefined) return [value];
  return Object.values(value).flatMap(subqueries);
}

/** What functions in an expression are OVER, but for those in queries inside of it. */
export function windows(value: JsonValue | undefined): readonly Node[] {
  if (isJsonArray(value)) return value.flatMap(windows);
  if (!isJsonObject(value) || as('SelectStmt', value) !== undefined) return [];
  const over = as('FuncCall', value)?.['over'];
  return [...(isJsonObject(over) ? [over] : []), ...Object.values(value).flatMap(windows)];
}

/** Of a function in FROM, such as `bi.daily_sales_asof`. */
export function functionName(call: Node): string {
  const [list] = nodes(call['functions']).map((each) => nodes(as('List', each)?.['items']));
  return names(as('FuncCall', list?.[0])?.['funcname']).join('.');
}
