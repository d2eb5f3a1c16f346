/** One key per customer, also for guests, who have no account. */
import { createHmac } from 'node:crypto';

import { GUEST_OID } from '../model/persons.ts';
import { decodeEntities } from './shown-text.ts';

/** The buyer's account and contacts, as an order has them. */
export type Buyer = {
  /** Null or {@link GUEST_OID}: a guest. */
  readonly buyer_oid: string | null;
  readonly buyer_email: string | null;
  readonly buyer_phone: string | null;
};

/**
 * `u:<oid>` for a registered buyer; for a guest `g:` and a keyed hash of the e-mail address, or else of the phone
 * number; `o:<order id>` for a guest without either.
 */
export function customerKey(
  orderId: string,
  { buyer_oid: buyerOid, buyer_email: email, buyer_phone: phone }: Buyer,
  guestSecret: string,
): string {
  if (!isGuest(buyerOid)) return `u:${buyerOid}`;
  const contact = normalizeEmail(email) ?? normalizePhone(phone);
  return contact === undefined ? `o:${orderId}` : guestKey(contact, guestSecret);
}

export function isGuest(buyerOid: string | null): buyerOid is typeof GUEST_OID | null {
  return buyerOid === null || buyerOid === GUEST_OID;
}

/** The customer key of a guest, from {@link normalizeEmail} or {@link normalizePhone}. */
export function guestKey(contact: string, guestSecret: string): string {
  return `g:${createHmac('sha256', guestSecret).update(contact).digest('hex').slice(0, 32)}`;
}

const PLAUSIBLE_EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const MAX_EMAIL_LENGTH = 320;
const MIN_PHONE_DIGITS = 7;

/** The address trimmed and in lower case; undefined when it is implausible. */
export function normalizeEmail(text: string | null): string | undefined {
  const email = decodeEntities(text ?? '')
    .trim()
    .toLowerCase();
  return email.length <= MAX_EMAIL_LENGTH && PLAUSIBLE_EMAIL.test(email) ? email : undefined;
}

/** The digits of the number, with Russia's domestic prefix 8 as country code 7; undefined below 7 digits. */
export function normalizePhone(text: string | null): string | undefined {
  const digits = decodeEntities(text ?? '').replaceAll(/\D/g, '');
  if (digits.length < MIN_PHONE_DIGITS) return undefined;
  return digits.length === 11 && digits.startsWith('8') ? `7${digits.slice(1)}` : digits;
}
