/** The faults that the tests must notice, by area. A new area needs one line here. */
export { FAULTS as behaviour } from './behaviour.ts';
export { FAULTS as commands } from './commands.ts';
export { FAULTS as deletions } from './deletions.ts';
export { FAULTS as freshness } from './freshness.ts';
export { FAULTS as http } from './http.ts';
export { FAULTS as lines } from './lines.ts';
export { FAULTS as normalize } from './normalize.ts';
export { FAULTS as paging } from './paging.ts';
export { FAULTS as plan } from './plan.ts';
export { FAULTS as privacy } from './privacy.ts';
export { FAULTS as reading } from './reading.ts';
export { FAULTS as recording } from './recording.ts';
export { FAULTS as runs } from './runs.ts';
export { FAULTS as shops } from './shops.ts';
export { FAULTS as views } from './views.ts';
export { FAULTS as walk } from './walk.ts';
export { FAULTS as worker } from './worker.ts';
