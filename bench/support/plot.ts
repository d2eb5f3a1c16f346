/** Values over time as a line of a table. */
import { mean } from './statistics.ts';

/** From nothing to the highest. */
const BLOCKS = '▁▂▃▄▅▆▇█';

/** @param most what the highest block stands for; what is more is shown as high */
export function plot(values: readonly number[], most = Math.max(...values)): string {
  return values
    .map((value) => BLOCKS[Math.min(BLOCKS.length - 1, Math.floor((value / most) * BLOCKS.length))])
    .join('');
}

/** Values in so many groups of about the same number, each as its mean. */
export function thinned(values: readonly number[], groups: number): readonly number[] {
  return Array.from({ length: Math.min(groups, values.length) }, (_, group) => {
    const size = values.length / Math.min(groups, values.length);
    const part = values.slice(Math.round(group * size), Math.round((group + 1) * size));
    return mean(part);
  });
}
