/** The shop's account that every guest's order is booked on. It is never fetched. */
export const GUEST_OID = '6';
