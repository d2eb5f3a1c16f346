/** Decides what may be stored of persons. Nothing else makes rows and payloads that can be loaded. */
import type { Cleared, Profile } from '../../model/persons.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isGuest } from '../customer-key.ts';
import { fingerprint } from '../fingerprint.ts';
import { GROUP_FIELDS, type GroupRow, normalizeGroup } from '../group.ts';
import type { LineRow } from '../lines.ts';
import type { ShopZone } from '../local-time.ts';
import { normalizeOrder, readBuyer } from '../order.ts';
import { ORDER_FIELDS, type OrderPerson, type OrderRow } from '../order-fields.ts';
import type { Rejection } from '../rejection.ts';
import { normalizeUser, type UserPerson, type UserRow } from '../user.ts';
import { divideContent, divideGroup, divideOrder, divideUser, keepUnread } from './divide-records.ts';
import { createFinder, type Finder } from './find-persons.ts';
import { ErasedPersons, strippedFingerprint } from './identifiers.ts';
import { hideIn, keepFields, keepProfile } from './kept-fields.ts';
import {
  isFoundInLine,
  isFoundInOrder,
  type Parts,
  withholdInGroup,
  withholdInLines,
  withholdInOrder,
  withholdInUser,
} from './withhold.ts';

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
  /** Finds its person. */
  readonly finds: Finder;
};

/** The lines of an order. `rest`: null where nothing is left of the answer, or nothing that may be stored. */
export type ReadLines = {
  readonly rows: readonly LineRow[];
  readonly payload: Cleared<JsonObject>;
  readonly rest: Cleared<JsonObject> | null;
  readonly rejections: readonly Rejection[];
};

export type ReadUser = {
  readonly row: Cleared<UserRow> | undefined;
  readonly payload: Cleared<JsonObject>;
  readonly person: Cleared<UserPerson & { readonly rest: JsonValue }> | null;
  readonly rejections: readonly Rejection[];
};

export type ReadGroup = {
  readonly row: Cleared<GroupRow> | undefined;
  readonly payload: Cleared<JsonObject>;
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

  /** @param records in which persons say who they are; @see createFinder */
  finder(records: readonly JsonObject[]): Finder {
    return createFinder(records, this.erased);
  }

  /** Normalizes a list row that the shop sent, and divides it into what is stored where. */
  order(sent: JsonObject, normalize = normalizeOrder): ReadOrder {
    const subject = this.#subject(sent);
    const isStripped = subject !== undefined;
    const context = { ...this.#options.shop, guestSecret: this.#options.secret };
    // Whoever has the key of an order sees its page.
    const { hash: _hash, ...withoutKey } = sent;
    const record = isStripped ? withoutKey : sent;
    const { row, person, rejections } = normalize(record, context);
    const finds = this.finder([sent]);
    if (row === undefined) {
      const payload = cleared(
        keepUnread(record, ORDER_FIELDS, (text) => !isStripped && !finds(text, 'note')),
      );
      return { isStripped, row, payload, person: null, rejections, finds };
    }
    const { known, rest } = divideOrder(record, row, rejections);
    const { payload, ...parts } = this.#withhold({ row, payload: known, rest }, finds);
    if (subject === undefined) {
      const own = cleared(this.#withoutErased({ ...person, rest: parts.rest }));
      const read = { row: cleared(parts.row), payload: cleared(payload), person: own };
      return { isStripped, ...read, rejections, finds };
    }
    const { standIn } = subject;
    const account = standIn === undefined ? {} : { buyer_oid: standIn, customer_key: `u:${standIn}` };
    const stored = standIn === undefined ? payload : { ...payload, master_oid: standIn };
    return {
      isStripped,
      row: cleared({ ...parts.row, ...account }),
      payload: cleared(stored),
      person: this.keptPerson(person.fields, sent),
      // Those of the record as it was sent hold what could not be read, which may be the person.
      rejections: normalize(stored, context).rejections,
      finds,
    };
  }

  /** An order that is stored without its person, from its payload. @param normalize as for {@link order} */
  strippedOrder(payload: JsonObject, customerKey: string, normalize = normalizeOrder): ReadOrder {
    const { shop, secret } = this.#options;
    const { row, rejections } = normalize(payload, { ...shop, guestSecret: secret });
    const finds = this.finder([]);
    const parts = row && this.#withhold({ row, payload, rest: null }, finds);
    return {
      isStripped: true,
      row: parts && cleared({ ...parts.row, customer_key: customerKey }),
      payload: cleared(payload),
      person: null,
      rejections,
      finds,
    };
  }

  /** The order without the person of its account. */
  orderOf<Order extends Omit<ReadOrder, 'rejections' | 'finds'>>(profile: Profile, order: Order): Order {
    const { row, payload, person, isStripped } = order;
    if (row === undefined) return order;
    const held = { row, payload, rest: isJsonObject(person?.rest) ? person.rest : null };
    const parts = this.#withhold(held, this.finder(profile));
    if (parts === held) return order;
    const own = person === null || isStripped ? person : cleared({ ...person, rest: parts.rest });
    return { ...order, row: cleared(parts.row), payload: cleared(parts.payload), person: own };
  }

  #withhold(parts: Parts<OrderRow>, finds: Finder): Parts<OrderRow> {
    return withholdInOrder(parts, finds, this.#isKnown);
  }

  readonly #isKnown = (column: string, code: string) => this.#options.knownCodes.has(codeKey(column, code));

  /** What stays of the person of an order that is stored without: fields that the owner keeps. */
  keptPerson(fields: JsonValue, record: JsonObject): StoredPerson {
    const { isPseudonymizing, keptFields } = this.#options;
    if (!isPseudonymizing) return null;
    const finds = this.finder([record]);
    const kept = keepFields(fields, keptFields, (text) => finds(text, 'field'));
    return kept && cleared({ ...NOBODY, fields: kept, rest: null });
  }

  /**
   * Divides the answer for an order's lines into what is stored where.
   *
   * @param read normalizes the lines of an answer
   * @param order `finds`: the persons of the order; `isStripped`: it is stored without its person
   */
  lines(
    answer: JsonObject,
    read: (answer: JsonObject) => Pick<ReadLines, 'rows' | 'rejections'>,
    { finds, isStripped }: { readonly finds: Finder; readonly isStripped: boolean },
  ): ReadLines {
    const { known, rest } = divideContent(answer);
    const { rows, rejections } = read(answer);
    const parts = withholdInLines({ rows, payload: known, rest }, finds);
    const payload = cleared(parts.payload);
    if (isStripped) return { rows: parts.rows, payload, rest: null, rejections: read(payload).rejections };
    const own = this.#withoutErased({ rest: parts.rest });
    return { rows: parts.rows, payload, rest: own.rest && cleared(own.rest), rejections };
  }

  /** The lines without the person of the order's account. */
  linesOf<Lines extends Omit<ReadLines, 'rejections'>>(
    profile: Profile,
    lines: Lines,
    isStripped: boolean,
  ): Lines {
    const parts = withholdInLines(lines, this.finder(profile));
    if (parts === lines) return lines;
    return { ...parts, payload: cleared(parts.payload), rest: isStripped ? null : parts.rest };
  }

  /** Whether stored texts hold the person of an account: columns of an order, and of its lines. */
  isFoundIn(profile: Profile, order: JsonObject, lines: readonly JsonObject[]): boolean {
    const finds = this.finder(profile);
    return isFoundInOrder(order, finds, this.#isKnown) || lines.some((line) => isFoundInLine(line, finds));
  }

  /** Normalizes a user's record that the shop sent, and divides it into what is stored where. */
  user(userOid: string, sent: JsonObject, normalize = normalizeUser): ReadUser {
    const { isPseudonymizing, shop } = this.#options;
    const profile = isJsonObject(sent['content']) ? sent['content'] : {};
    const contacts = [profile['email'], profile['phone'], profile['login'], sent['email'], sent['phone']];
    const { row, person, rejections } = normalize(userOid, sent, shop);
    const { known, rest } = divideUser(sent, row, rejections);
    if (row === undefined) return { row, payload: cleared(known), person: null, rejections };
    const parts = withholdInUser({ row, payload: known, rest }, this.finder([sent, profile]));
    const read = { row: cleared(parts.row), payload: cleared(parts.payload) };
    if (isPseudonymizing || this.erased.areInAny(contacts)) {
      const stripped = normalize(userOid, parts.payload, shop);
      return { ...read, person: this.keptProfile(profile), rejections: stripped.rejections };
    }
    return { ...read, person: cleared(this.#withoutErased({ ...person, rest: parts.rest })), rejections };
  }

  /** What stays of a user who is stored without the person: fields that the owner keeps. */
  keptProfile(profile: JsonObject): ReadUser['person'] {
    if (!this.#options.isPseudonymizing) return null;
    const finds = this.finder([profile]);
    const content = keepProfile(profile, this.#options.keptFields, (text) => finds(text, 'field'));
    return content && cleared({ ...NO_USER, content, rest: null });
  }

  /** Normalizes a group that the shop sent. It is of no person: contacts alone are looked for. */
  group(sent: JsonObject, normalize = normalizeGroup): ReadGroup {
    const { row, rejections } = normalize(sent, this.#options.shop);
    if (row === undefined) {
      const finds = this.finder([]);
      const payload = cleared(keepUnread(sent, GROUP_FIELDS, (text) => !finds(text, 'catalogue')));
      return { row, payload, rejections };
    }
    const parts = withholdInGroup(row, divideGroup(sent, row), this.finder([]));
    return { row: cleared(parts.row), payload: cleared(parts.payload), rejections };
  }

  /** What is stored of a person, without those who are erased: undefined where it mentions none. */
  withoutMentions<Person extends object>(person: Person): Cleared<Person> | undefined {
    const clean = this.#withoutErased(person);
    return JSON.stringify(clean) === JSON.stringify(person) ? undefined : cleared(clean);
  }

  /** Of a person's texts, all of which may be null. */
  #withoutErased<Texts extends object>(texts: Texts): Texts {
    if (this.erased.isEmpty) return texts;
    const entries = Object.entries(texts).map(([name, value]: [string, JsonValue]) => [
      name,
      hideIn(value, (text) => this.erased.areIn(text)),
    ]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names stay, and every column may be null
    return Object.fromEntries(entries) as Texts;
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

function cleared<T>(value: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: only what was divided gets it
  return value as Cleared<T>;
}
