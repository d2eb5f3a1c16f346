/** The faults that the tests must notice, by area. A new area needs one line here. */
export { FAULTS as privacy } from './privacy.ts';
export { FAULTS as runs } from './runs.ts';
export { FAULTS as shops } from './shops.ts';
export { FAULTS as views } from './views.ts';
