/** One key per customer, also for guests, who have no account. */
import { createHmac } from 'node:crypto';

import { GUEST_OID } from '../special-accounts.ts';
import { normalizeEmail, normalizePhone } from './contacts.ts';

export type CustomerParts = {
  readonly orderId: string;
  /** Null or {@link GUEST_OID}: a guest. */
  readonly buyerOid: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/**
 * `u:<oid>` for a registered buyer; for a guest `g:` and a keyed hash of the e-mail address, or else of the phone
 * number; `o:<order id>` for a guest without either.
 */
export function customerKey(parts: CustomerParts, guestSecret: string): string {
  if (!isGuest(parts.buyerOid)) return `u:${parts.buyerOid}`;
  const contact = normalizeEmail(parts.email) ?? normalizePhone(parts.phone);
  return contact === undefined ? `o:${parts.orderId}` : guestKey(contact, guestSecret);
}

export function isGuest(buyerOid: string | null): buyerOid is typeof GUEST_OID | null {
  return buyerOid === null || buyerOid === GUEST_OID;
}

/** The customer key of a guest, from {@link normalizeEmail} or {@link normalizePhone}. */
export function guestKey(contact: string, guestSecret: string): string {
  return `g:${createHmac('sha256', guestSecret).update(contact).digest('hex').slice(0, 32)}`;
}
