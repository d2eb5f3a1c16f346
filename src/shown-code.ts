/** Codes of the shop's own, such as statuses, which somebody may have typed a person into. */

/** Stands for every code that is not shown. */
export const RARE_CODE = '(rare)';

/** As short as the platform's own codes: holds no name and no contact. */
export const SHORT_CODE = '^[A-Z0-9]{1,3}$';

/** Identifies a code. @param kind the field of an order: `status` or `pay_status` */
export function shownCode(kind: string, code: string): string {
  return `${kind} ${code}`;
}
