import type { Fault } from './fault.ts';
import type { Ended } from './run-tests.ts';

export type Outcome = { readonly fault: Fault; readonly ended: Ended };

/** How many were noticed, and below it what went unnoticed or hung. */
export function report(outcomes: readonly Outcome[]): string {
  const unnoticed = outcomes.filter(({ ended }) => ended === 'passed').map(describe);
  const hung = outcomes.filter(({ ended }) => ended === 'hung').map(describe);
  return [
    `\n${outcomes.length - unnoticed.length} of ${outcomes.length} noticed`,
    ...(unnoticed.length > 0 ? ['\nNot noticed:', ...unnoticed] : []),
    ...(hung.length > 0 ? ['\nNoticed only because the tests never ended:', ...hung] : []),
  ].join('\n');
}

function describe({ fault: { file, find, replace, tests } }: Outcome): string {
  return `- ${file}, by ${tests.join(' ')}\n    ${find}\n    ${replace}`;
}
