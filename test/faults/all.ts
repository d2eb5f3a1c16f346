/** The faults that the tests must notice, by area. A new area needs one line here. */
export { FAULTS as walk } from './walk.ts';
