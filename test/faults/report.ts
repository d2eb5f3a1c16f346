import type { Fault } from './fault.ts';
import type { Ended } from './run-tests.ts';

export type Outcome = { readonly fault: Fault; readonly ended: Ended };

/** A table by promise, and below it what went unnoticed or hung. */
export function report(outcomes: readonly Outcome[]): string {
  const byPromise = Object.entries(Object.groupBy(outcomes, ({ fault }) => fault.promise));
  const width = Math.max(...byPromise.map(([promise]) => promise.length), 'all'.length);
  const row = (name: string, some: readonly Outcome[]) => {
    const noticed = some.filter(({ ended }) => ended !== 'passed').length;
    return `${name.padEnd(width)}  ${String(some.length).padStart(5)}  ${String(noticed).padStart(7)}`;
  };
  const rows = byPromise.map(([promise, some]) => row(promise, some));
  const unnoticed = outcomes.filter(({ ended }) => ended === 'passed').map(describe);
  const hung = outcomes.filter(({ ended }) => ended === 'hung').map(describe);
  return [
    `\n${'promise'.padEnd(width)}  tried  noticed`,
    ...rows,
    row('all', outcomes),
    ...(unnoticed.length > 0 ? ['\nNot noticed:', ...unnoticed] : []),
    ...(hung.length > 0 ? ['\nNoticed only because the tests never ended:', ...hung] : []),
  ].join('\n');
}

function describe({ fault: { file, find, replace, tests } }: Outcome): string {
  return `- ${file}, by ${tests.join(' ')}\n    ${find}\n    ${replace}`;
}
