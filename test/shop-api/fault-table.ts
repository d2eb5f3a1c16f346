/** The outcomes of a fault matrix for people: a line for each way in which a fault ended. */
import { type Cell, nameOf, type Outcome, outcomeText } from './fault-cells.ts';

/** @returns lines of `fault | tries | outcome`; list and content share one where they fared alike */
export function faultTable(cells: readonly Cell[], outcomes: ReadonlyMap<string, Outcome>): string {
  const routes = new Map<string, string[]>();
  for (const cell of cells) {
    const outcome = outcomes.get(nameOf(cell));
    if (outcome === undefined) continue;
    const line = ['', `${cell.fault.name}, ${cell.lasts}`, `${outcome.tries}`, outcomeText(outcome)];
    const text = line.join('\n');
    routes.set(text, [...(routes.get(text) ?? []), cell.route]);
  }
  const rows = [...routes].map(([text, names]) => {
    const [, fault = '', tries = '', outcome = ''] = text.split('\n');
    return [names.length === 2 ? fault : `${fault} (${names.join()})`, tries, outcome];
  });
  const all = [['fault', 'tries', 'outcome'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | '));
  return `${lines.join('\n')}\n`;
}
