/** What identifies a person, as keyed hashes: erased persons are remembered by nothing else. */
import { createHmac, hash } from 'node:crypto';

import { type JsonValue, scalarText } from '../../model/json.ts';
import { ERASED_BELOW } from '../../model/persons.ts';
import { normalizeEmail, normalizePhone } from '../customer-key.ts';
import { decodeEntities, mayHoldContact } from '../shown-text.ts';

export type Identifier = {
  readonly kind: 'email' | 'phone' | 'user';
  /** In its normalized form: {@link normalizeEmail}, {@link normalizePhone}, or the user's number. */
  readonly value: string;
};

const EMAILS =
  /[^\s@<>()[\]{},;:"'|\\/=?&\p{Pi}\p{Pf}„‚…\u2010-\u2015]+@[^\s@<>()[\]{},;:"'|\\/=?&\p{Pi}\p{Pf}„‚…\u2010-\u2015]+\.[^\s@<>()[\]{},;:"'|\\/=?&\p{Pi}\p{Pf}„‚…\u2010-\u2015]+/gu;
/** What stands around an address as often as in it: `**a@b.example**!` */
const SIGNS_AROUND = /^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
const PHONES = /\+?\d(?:[\s().\-/\u2010-\u2015]{0,3}\d){6,}/gu;
/** No number of the world is longer: two phone numbers side by side are. */
const MAX_PHONE_DIGITS = 15;
const MAX_PHONE_PARTS = 6;
const MIN_NATIONAL_DIGITS = 9;
const MAX_COUNTRY_DIGITS = 3;

/** 32 hexadecimal characters, which differ for each kind. */
export function hashIdentifier(secret: string, { kind, value }: Identifier): string {
  return keyedHash(secret, `erased ${kind}\0${value}`).toString('hex').slice(0, 32);
}

/** The number that stands for an erased person's account: always the same, and not traceable without the secret. */
export function erasedAccountOid(secret: string, userOid: string): string {
  const number = keyedHash(secret, `erased account\0${userOid}`).readBigUInt64BE() >> 2n;
  return (ERASED_BELOW - 1n - number).toString();
}

/** Every e-mail address and phone number in a text, normalized. */
export function findContacts(sent: string): readonly Identifier[] {
  const text = decodeEntities(sent);
  if (!mayHoldContact(sent)) return [];
  const parts = [text, ...(text.match(EMAILS) ?? [])].flatMap((part) => [
    trimDots(part),
    part.replaceAll(SIGNS_AROUND, ''),
  ]);
  const emails = new Set(parts.flatMap((part) => normalizeEmail(part) ?? []));
  const phones = (text.match(PHONES) ?? []).flatMap(splitPhones).flatMap((part) => readPhone(part) ?? []);
  return [
    ...[...emails].map((value) => ({ kind: 'email' as const, value })),
    ...phones.map((value) => ({ kind: 'phone' as const, value })),
  ];
}

export function emailIdentifier(text: string): Identifier | undefined {
  const value = normalizeEmail(text);
  return value === undefined ? undefined : { kind: 'email', value };
}

/** A phone number in the forms it may be written in: with and without its country code. Empty if it is none. */
export function phoneIdentifiers(sent: string): readonly Identifier[] {
  const text = decodeEntities(sent);
  const value = readPhone(text);
  if (value === undefined) return [];
  const isInternational = /^\s*(?:\+|00)/.test(text) || (value.length === 11 && value.startsWith('7'));
  const national = Array.from({ length: isInternational ? MAX_COUNTRY_DIGITS : 0 }, (_, at) =>
    value.slice(at + 1),
  );
  const forms = national
    .filter((digits) => digits.length >= MIN_NATIONAL_DIGITS)
    .flatMap((digits) => [digits, `0${digits}`]);
  return [...new Set([value, ...forms])].map((form) => ({ kind: 'phone', value: form }));
}

/** Digits without the prefix for calls abroad. */
function readPhone(text: string): string | undefined {
  return normalizePhone(text.replace(/^\D*0\D*0/, ''));
}

/** Numbers side by side, of which each may contain blanks: every run of parts that may be a number. */
function splitPhones(text: string): readonly string[] {
  if (text.replaceAll(/\D/g, '').length <= MAX_PHONE_DIGITS) return [text];
  const parts = text.split(/\s+/);
  return parts.flatMap((_, from) =>
    Array.from({ length: MAX_PHONE_PARTS }, (_, count) => parts.slice(from, from + count + 1).join('')),
  );
}

const trimDots = (text: string) => text.trim().replace(/\.+$/, '');

/** Why an order is stored without its person: begins its fingerprint. */
export const STRIPPED = { erased: 'e:', pseudonymized: 'p:' } as const;

/**
 * The fingerprint of an order that is stored without its person: a keyed one, since names could be tried against the plain
 * one.
 *
 * @param fingerprint the plain one, a keyed one, or the empty text where it was cleared: what was cleared stays so
 */
export function strippedFingerprint(
  secret: string,
  fingerprint: string,
  reason: keyof typeof STRIPPED,
): string {
  return STRIPPED[reason] + keyedPart(secret, fingerprint);
}

function keyedPart(secret: string, fingerprint: string): string {
  const prefix = Object.values(STRIPPED).find((each) => fingerprint.startsWith(each));
  if (prefix !== undefined) return fingerprint.slice(prefix.length);
  const key = keyedHash(secret, 'fingerprint').toString('hex');
  return fingerprint === '' ? '' : hash('sha256', key + fingerprint, 'hex').slice(0, 32);
}

/** Persons who must not be stored again, known by keyed hashes only. */
export class ErasedPersons {
  readonly #secret: string;
  readonly #hashes: ReadonlySet<string>;

  /** @param hashes by {@link hashIdentifier}, with the same secret */
  constructor(secret: string, hashes: ReadonlySet<string>) {
    this.#secret = secret;
    this.#hashes = hashes;
  }

  get isEmpty(): boolean {
    return this.#hashes.size === 0;
  }

  hasAccount(userOid: string): boolean {
    return !this.isEmpty && this.#has({ kind: 'user', value: userOid });
  }

  /** The number that stands for the account in what is stored. */
  standIn(userOid: string): string {
    return erasedAccountOid(this.#secret, userOid);
  }

  /** Whether a text holds the e-mail address or phone number of an erased person. */
  areIn(text: string): boolean {
    return !this.isEmpty && findContacts(text).some((contact) => this.#has(contact));
  }

  /** @param values of fields, where numbers are texts too */
  areInAny(values: readonly (JsonValue | undefined)[]): boolean {
    return values.some((value) => this.areIn(scalarText(value) ?? ''));
  }

  #has(identifier: Identifier): boolean {
    return this.#hashes.has(hashIdentifier(this.#secret, identifier));
  }
}

function keyedHash(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`order-sync\0${text}`).digest();
}
