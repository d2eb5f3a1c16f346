/** Codes of the shop's own, such as statuses, which somebody may have typed a person into. */

/** Stands for every code that is not shown. */
export const HIDDEN_CODE = '(hidden)';

/** What codes look like; SQL and JavaScript read it alike. */
export const CODE_FORM = '^[A-Za-z0-9_-]{1,16}$';
