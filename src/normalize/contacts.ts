/** E-mail addresses and phone numbers in one form each, so that two spellings are one contact. */

const PLAUSIBLE_EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const MAX_EMAIL_LENGTH = 320;
const MIN_PHONE_DIGITS = 7;

/** The address trimmed and in lower case; undefined when it is implausible. */
export function normalizeEmail(text: string | null): string | undefined {
  const email = text?.trim().toLowerCase() ?? '';
  return email.length <= MAX_EMAIL_LENGTH && PLAUSIBLE_EMAIL.test(email) ? email : undefined;
}

/** The digits of the number, with Russia's domestic prefix 8 as country code 7; undefined below 7 digits. */
export function normalizePhone(text: string | null): string | undefined {
  const digits = text?.replaceAll(/\D/g, '') ?? '';
  if (digits.length < MIN_PHONE_DIGITS) return undefined;
  return digits.length === 11 && digits.startsWith('8') ? `7${digits.slice(1)}` : digits;
}
