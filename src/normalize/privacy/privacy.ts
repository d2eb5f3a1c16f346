/** Takes out of the shop's records what must not be stored of persons, before anything else is made of them. */
import type { Cleared } from '../../cleared.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { jsonText } from '../canonical-json.ts';
import { fingerprint } from '../fingerprint.ts';
import type { ShopZone } from '../local-time.ts';
import { readCustomer } from '../order.ts';
import { ErasedPersons } from './erased-persons.ts';
import type { FieldPolicy } from './form-fields.ts';
import { keyedHash } from './identifiers.ts';
import { namesPerson } from './names-person.ts';
import { type Scrubbing, scrubContent, scrubOrder, scrubUser, withoutMentions } from './scrub-records.ts';

/** An order's list row as it may be stored. */
export type ClearedOrder = {
  readonly payload: Cleared<JsonObject>;
  /** Set where the row is stored without its person: what can no longer be made from it. */
  readonly scrubbed: { readonly customerKey: string } | undefined;
};

export type PrivacyOptions = {
  /** Key of all hashes. */
  readonly secret: string;
  readonly shop: ShopZone;
  /** No person is stored. */
  readonly isPseudonymizing: boolean;
  /** Hashes of erased persons' identifiers. */
  readonly erased: ReadonlySet<string>;
  /** What is kept of the extra fields of records that are scrubbed. */
  readonly fields: FieldPolicy;
  /** Status codes that are known to be categories, as `shownCode`. */
  readonly shownCodes: ReadonlySet<string>;
};

/** Marks a scrubbed list row, and keeps its customer key. */
export const SCRUB_MARK = 'order_sync';
/** What may be stored of persons. The records that it returns are the given ones where nothing must be removed. */
export class Privacy {
  readonly #options: PrivacyOptions;
  readonly erased: ErasedPersons;

  constructor(options: PrivacyOptions) {
    this.#options = options;
    this.erased = new ErasedPersons(options.secret, options.erased);
  }

  /** The fingerprint to store for a list row: a keyed one where the row is stored without its person. */
  fingerprint(row: JsonObject): string {
    const plain = fingerprint(row);
    return this.#subject(row) === undefined ? plain : this.keyedFingerprint(plain);
  }

  keyedFingerprint(plain: string): string {
    return keyedHash(this.#options.secret, `fingerprint\0${plain}`).toString('hex').slice(0, 32);
  }

  /** Whether a stored fingerprint is that of the row, whatever had to be removed when it was stored. */
  isSameRow(stored: string, row: JsonObject): boolean {
    const plain = fingerprint(row);
    return stored === plain || stored === this.keyedFingerprint(plain);
  }

  /** @param isStored the row comes from the warehouse, and may have been scrubbed before */
  order(row: JsonObject, isStored = false): ClearedOrder {
    const mark = isStored ? readMark(row) : undefined;
    const { [SCRUB_MARK]: _mark, ...sent } = row;
    const subject = this.#subject(row);
    if (subject === undefined) {
      if (mark) return { payload: cleared(row), scrubbed: mark };
      const own = Object.hasOwn(row, SCRUB_MARK) ? sent : row;
      return { payload: this.#withoutMentions('order', own), scrubbed: undefined };
    }
    const { account, customer } = subject;
    const standIn = account === undefined ? undefined : this.erased.standIn(account);
    const key = standIn === undefined ? (mark?.customerKey ?? customer.customer_key) : `u:${standIn}`;
    const scrubbed = {
      ...scrubOrder(sent, this.#scrubbing(row)),
      ...(standIn === undefined ? {} : { master_oid: standIn }),
      [SCRUB_MARK]: { customer_key: key },
    };
    return { payload: cleared(sameOr(row, scrubbed)), scrubbed: { customerKey: key } };
  }

  /** The answer for an order's lines. @param isScrubbed whether the order's list row was */
  content(answer: JsonObject, isScrubbed: boolean): Cleared<JsonObject> {
    if (!isScrubbed && !this.#options.isPseudonymizing) return this.#withoutMentions('content', answer);
    return cleared(sameOr(answer, scrubContent(answer, this.#scrubbing({}))));
  }

  user(record: JsonObject): Cleared<JsonObject> {
    const content = isJsonObject(record['content']) ? record['content'] : {};
    const contacts = [content['email'], content['phone'], content['login'], record['email'], record['phone']];
    const isScrubbed = this.#options.isPseudonymizing || this.erased.areInAny(contacts);
    if (!isScrubbed) return this.#withoutMentions('user', record);
    return cleared(sameOr(record, scrubUser(record, this.#scrubbing(content))));
  }

  /** Whose order a row is, where it must be stored without its person. */
  #subject(row: JsonObject) {
    const { isPseudonymizing, secret } = this.#options;
    if (!isPseudonymizing && this.erased.isEmpty) return undefined;
    const customer = readCustomer(row, secret);
    const { buyer_oid: oid, is_guest: isGuest, buyer_email, buyer_phone } = customer;
    const account = oid !== null && !isGuest && this.erased.hasAccount(oid) ? oid : undefined;
    const isErased = account !== undefined || this.erased.areInAny([buyer_email, buyer_phone]);
    return isPseudonymizing || isErased ? { account, customer } : undefined;
  }

  /** @param record of the person, who may be named in any field of it */
  #scrubbing(record: JsonObject): Scrubbing {
    const { shop, fields, shownCodes } = this.#options;
    const isOfPerson = namesPerson(record);
    return { shop, fields, shownCodes, isPersonal: (text) => isOfPerson(text) || this.erased.areIn(text) };
  }

  /** The record of somebody who is stored, without contacts of those who are not. */
  #withoutMentions(kind: 'order' | 'content' | 'user', record: JsonObject): Cleared<JsonObject> {
    if (this.erased.isEmpty) return cleared(record);
    const { fields } = this.#options;
    const isPersonal = (text: string) => this.erased.areIn(text);
    return cleared(sameOr(record, withoutMentions(kind, record, { fields, isPersonal })));
  }
}

/** Stores everything as the shop sends it. */
export function keepAll(secret: string, shop: ShopZone): Privacy {
  const fields = { isKept: () => true, isShared: () => true };
  const shownCodes = new Set<string>();
  return new Privacy({ secret, shop, isPseudonymizing: false, erased: new Set(), fields, shownCodes });
}

/** Whether a stored list row was scrubbed before. */
export function wasScrubbed(payload: JsonObject): boolean {
  return readMark(payload) !== undefined;
}

function readMark(row: JsonObject): { readonly customerKey: string } | undefined {
  const mark = row[SCRUB_MARK];
  const customerKey = isJsonObject(mark) ? mark['customer_key'] : undefined;
  return typeof customerKey === 'string' ? { customerKey } : undefined;
}

/** The record itself if nothing changed, so that callers can tell by identity. */
function sameOr(record: JsonObject, changed: JsonObject): JsonObject {
  const text = (value: JsonValue) => jsonText(value, { sortKeys: true });
  return text(record) === text(changed) ? record : changed;
}

function cleared<T>(value: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: only what was scrubbed gets it
  return value as Cleared<T>;
}
