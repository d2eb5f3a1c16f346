/** Decides what may be stored of persons. Nothing else makes rows and payloads that can be loaded. */
import type { Cleared } from '../../model/persons.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import { isGuest } from '../customer-key.ts';
import { fingerprint } from '../fingerprint.ts';
import type { ShopZone } from '../local-time.ts';
import { normalizeOrder, readBuyer } from '../order.ts';
import type { OrderPerson, OrderRow } from '../order-fields.ts';
import type { Rejection } from '../rejection.ts';
import { normalizeUser, type UserPerson, type UserRow } from '../user.ts';
import { divideContent, divideOrder, divideUser, keepUnread } from './divide-records.ts';
import { ErasedPersons, strippedFingerprint } from './identifiers.ts';
import { mayHoldContact } from '../shown-text.ts';
import {
  hideCodes,
  hideIn,
  hideMentions,
  type IsPersonal,
  keepFields,
  keepProfile,
  namesPerson,
  type Replaced,
  stripOrder,
  type TypedColumns,
} from './strip-records.ts';

export type PrivacyOptions = {
  readonly secret: string;
  readonly shop: ShopZone;
  /** No person is stored. */
  readonly isPseudonymizing: boolean;
  readonly erased: ReadonlySet<string>;
  /** Extra fields that are kept of those who are not stored. */
  readonly keptFields: ReadonlySet<string>;
  /** Codes that are documented, or that the owner classified, as {@link codeKey}. */
  readonly knownCodes: ReadonlySet<string>;
};

/** Identifies a code. @param column of an order: `status_code` or `pay_status_code` */
export function codeKey(column: string, code: string): string {
  return `${column} ${code}`;
}

/** What is stored of an order's person; null: nothing. */
export type StoredPerson = Cleared<OrderPerson & { readonly rest: JsonValue }> | null;

export type ReadOrder = {
  /** It is stored without its person. */
  readonly isStripped: boolean;
  readonly row: Cleared<OrderRow> | undefined;
  readonly payload: Cleared<JsonObject>;
  readonly person: StoredPerson;
  readonly rejections: readonly Rejection[];
};

export type ReadUser = {
  readonly row: Cleared<UserRow> | undefined;
  readonly payload: Cleared<JsonObject>;
  readonly person: Cleared<UserPerson & { readonly rest: JsonValue }> | null;
  readonly rejections: readonly Rejection[];
};

const NOBODY = { buyer_name: null, buyer_email: null, buyer_phone: null, buyer_address: null, comment: null };
const NO_USER = {
  login: null,
  email: null,
  phone: null,
  name: null,
  org_name: null,
  gender: null,
  address: null,
  images: null,
};

export class Privacy {
  readonly #options: PrivacyOptions;
  readonly erased: ErasedPersons;

  constructor(options: PrivacyOptions) {
    this.#options = options;
    this.erased = new ErasedPersons(options.secret, options.erased);
  }

  /** The fingerprint to store for a list row: a keyed one where it is stored without its person. */
  fingerprint(row: JsonObject): string {
    const plain = fingerprint(row);
    return this.#subject(row) === undefined ? plain : this.strippedFingerprint(plain);
  }

  /** The fingerprint of an order that is stored without its person, from the one it had. */
  strippedFingerprint(held: string): string {
    const { isPseudonymizing, secret } = this.#options;
    return strippedFingerprint(secret, held, isPseudonymizing ? 'pseudonymized' : 'erased');
  }

  /** Normalizes a list row that the shop sent, and divides it into what is stored where. */
  order(sent: JsonObject, normalize = normalizeOrder): ReadOrder {
    const { secret, shop } = this.#options;
    const subject = this.#subject(sent);
    const record = subject === undefined ? this.#withoutMentions('order', sent) : sent;
    const context = { ...shop, guestSecret: secret };
    const { row, person, rejections } = normalize(record, context);
    const isStripped = subject !== undefined;
    if (row === undefined) {
      return { isStripped, row, payload: cleared(keepUnread(record, !isStripped)), person: null, rejections };
    }
    const { known, rest } = divideOrder(record, row, rejections);
    if (subject === undefined) {
      // What stands in place of a code and may be somebody's number lives with the person.
      const { columns, fields } = hideCodes(
        row,
        (column, code) => mayHoldContact(code) && !this.#isKnown(column, code),
      );
      const typed = Object.keys(record).filter((name) => name in fields || record[name] === HIDDEN_CODE);
      const own =
        typed.length === 0
          ? rest
          : { ...rest, ...Object.fromEntries(typed.map((name) => [name, record[name] ?? null])) };
      const parts = {
        row: cleared({ ...row, ...columns }),
        payload: cleared({ ...known, ...fields }),
        person: cleared({ ...person, rest: this.#restOf(own) }),
      };
      return { isStripped, ...parts, rejections };
    }
    const { columns, fields } = this.strip(row, sent);
    const { standIn } = subject;
    const account = standIn === undefined ? {} : { buyer_oid: standIn, customer_key: `u:${standIn}` };
    const payload = {
      ...known,
      ...fields,
      ...(standIn === undefined ? {} : { master_oid: standIn }),
    };
    // What was told together with a text is gone with it.
    const percent = columns.discount_raw === null ? { discount_percent: null } : {};
    return {
      isStripped,
      row: cleared({ ...row, ...columns, ...percent, ...account }),
      payload: cleared(payload),
      person: this.keptPerson(person.fields, sent),
      // Those of the record as it was sent hold what could not be read, which may be the person.
      rejections: normalize(payload, context).rejections,
    };
  }

  /** @param record of the person, who may be named in any column */
  strip(row: TypedColumns, record: JsonObject): Replaced {
    return stripOrder(row, {
      checksForm: true,
      isPersonal: this.#isPersonal(record),
      isKnownCode: (column, code) => this.#isKnown(column, code),
    });
  }

  #isKnown(column: string, code: string): boolean {
    return this.#options.knownCodes.has(codeKey(column, code));
  }

  /** What stays of the person of an order that is stored without: fields that the owner keeps. */
  keptPerson(fields: JsonValue, record: JsonObject): StoredPerson {
    const { isPseudonymizing, keptFields } = this.#options;
    if (!isPseudonymizing) return null;
    const kept = keepFields(fields, keptFields, this.#isPersonal(record));
    return kept && cleared({ ...NOBODY, fields: kept, rest: null });
  }

  /** The answer for an order's lines in two parts. @param isStripped the order is stored without its person */
  content(answer: JsonObject, isStripped: boolean) {
    const { known, rest } = divideContent(answer);
    return {
      payload: cleared(this.#hideInContent(known, isStripped)),
      rest: isStripped ? null : cleared(this.#restOf(rest)),
    };
  }

  /** Normalizes a user's record that the shop sent, and divides it into what is stored where. */
  user(userOid: string, sent: JsonObject, normalize = normalizeUser): ReadUser {
    const { isPseudonymizing, shop } = this.#options;
    const profile = isJsonObject(sent['content']) ? sent['content'] : {};
    const contacts = [profile['email'], profile['phone'], profile['login'], sent['email'], sent['phone']];
    const isStripped = isPseudonymizing || this.erased.areInAny(contacts);
    const record = isStripped ? sent : this.#withoutMentions('user', sent);
    const { row, person, rejections } = normalize(userOid, record, shop);
    const { known, rest } = divideUser(record, row, rejections);
    const payload = cleared(known);
    if (row === undefined) return { row, payload, person: null, rejections };
    if (!isStripped)
      return {
        row: cleared(row),
        payload,
        person: cleared({ ...person, rest: this.#restOf(rest) }),
        rejections,
      };
    const kept = this.keptProfile(profile);
    // What cannot be read is no state of the account.
    const stripped = normalize(userOid, known, shop);
    return { row: cleared(stripped.row), payload, person: kept, rejections: stripped.rejections };
  }

  /** What stays of a user who is stored without the person: fields that the owner keeps. */
  keptProfile(profile: JsonObject): ReadUser['person'] {
    if (!this.#options.isPseudonymizing) return null;
    const content = keepProfile(profile, this.#options.keptFields, this.#isPersonal(profile));
    return content && cleared({ ...NO_USER, content, rest: null });
  }

  /** A row that is made anew of what was stored. */
  stored(row: OrderRow): Cleared<OrderRow> {
    return cleared(row);
  }

  /** Stored columns without the contacts of erased persons; undefined where they hold none. @param isStripped as for {@link content} */
  withoutMentions<Columns extends JsonObject>(
    columns: Columns,
    isStripped = false,
  ): Cleared<Columns> | undefined {
    const hidden = hideIn(columns, this.#isForeign(isStripped));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts became null, and every column may be
    return isSame(columns, hidden) ? undefined : (hidden as Cleared<Columns>);
  }

  /** The same of a stored answer for an order's lines. */
  contentWithoutMentions(answer: JsonValue, isStripped: boolean): Cleared<JsonObject> | undefined {
    if (!isJsonObject(answer)) return undefined;
    const hidden = this.#hideInContent(answer, isStripped);
    return isSame(answer, hidden) ? undefined : cleared(hidden);
  }

  /** Whose order a row is, where it must be stored without its person; `standIn`: instead of an erased person's account. */
  #subject(row: JsonObject): { readonly standIn: string | undefined } | undefined {
    const { isPseudonymizing } = this.#options;
    if (!isPseudonymizing && this.erased.isEmpty) return undefined;
    const { buyer_oid: oid, buyer_email, buyer_phone } = readBuyer(row);
    const account = !isGuest(oid) && this.erased.hasAccount(oid) ? oid : undefined;
    const isErased = account !== undefined || this.erased.areInAny([buyer_email, buyer_phone]);
    if (!isPseudonymizing && !isErased) return undefined;
    return { standIn: account && this.erased.standIn(account) };
  }

  #isPersonal(record: JsonObject): IsPersonal {
    const isOfPerson = namesPerson(record);
    return (text) => isOfPerson(text) || this.erased.areIn(text);
  }

  /** Whether a text that is not about the person of the record holds one: an erased one, and any contact where none is stored. */
  #isForeign(isStripped: boolean): IsPersonal {
    return isStripped ? this.#isPersonal({}) : (text) => this.erased.areIn(text);
  }

  #hideInContent(answer: JsonObject, isStripped: boolean): JsonObject {
    if (!isStripped && this.erased.isEmpty) return answer;
    return hideMentions('content', answer, this.#isForeign(isStripped));
  }

  /** What is no known field, or could not be read, may mention an erased person wherever it stands. */
  #restOf(rest: JsonObject | null): JsonObject | null {
    if (this.erased.isEmpty) return rest;
    const hidden = hideIn(rest, (text) => this.erased.areIn(text));
    return isJsonObject(hidden) ? hidden : null;
  }

  #withoutMentions(kind: 'order' | 'user', record: JsonObject): JsonObject {
    if (this.erased.isEmpty) return record;
    return hideMentions(kind, record, (text) => this.erased.areIn(text));
  }
}

export function keepAll(secret: string, shop: ShopZone): Privacy {
  const nothing = new Set<string>();
  return new Privacy({
    secret,
    shop,
    isPseudonymizing: false,
    erased: nothing,
    keptFields: nothing,
    knownCodes: nothing,
  });
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function cleared<T>(value: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: only what was divided gets it
  return value as Cleared<T>;
}
