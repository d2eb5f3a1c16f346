/** Decides what may be stored of persons. Nothing else makes rows and payloads that can be loaded. */
import type { Cleared, Profile } from '../../model/persons.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { CODE_FORM } from '../../model/status-codes.ts';
import type { LineRow, OrderPerson, OrderRow } from '../../warehouse/schema/orders.ts';
import type { GroupRow, UserPerson, UserRow } from '../../warehouse/schema/users.ts';
import { isGuest } from '../customer-key.ts';
import { fingerprint } from '../fingerprint.ts';
import { normalizeGroup } from '../group.ts';
import { normalizeLines } from '../lines.ts';
import type { ShopZone } from '../local-time.ts';
import { normalizeOrder, readBuyer } from '../order.ts';
import type { Rejection } from '../rejection.ts';
import { normalizeUser } from '../user.ts';
import { type Finder, PersonSearch } from './find-persons.ts';
import { ErasedPersons, strippedFingerprint } from './identifiers.ts';
import {
  divide,
  divideContent,
  divideUser,
  GROUP,
  type IsFound,
  isFoundInRow,
  LINE,
  ORDER,
} from './records.ts';

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

/** Columns of a stored row. */
type StoredTexts = Readonly<Record<string, unknown>>;

/** What may be stored of a record. */
type Read<Row, Person> = {
  readonly row: Cleared<Row> | undefined;
  readonly payload: Cleared<JsonObject>;
  /** Null: nothing is stored. */
  readonly person: Cleared<Person & { readonly rest: JsonValue }> | null;
  readonly rejections: readonly Rejection[];
};
/** The persons of an order, and whether it is stored without them. */
export type OfOrder = { readonly finds: Finder; readonly isStripped: boolean };

export type ReadOrder = Read<OrderRow, OrderPerson> & OfOrder;
type ReadUser = Read<UserRow, UserPerson>;
export type ReadGroup = Omit<Read<GroupRow, never>, 'person'>;

/** The lines of an order. `rest`: null where nothing is left of the answer, or nothing that may be stored. */
export type ReadLines = {
  readonly rows: readonly LineRow[];
  readonly payload: Cleared<JsonObject>;
  readonly rest: Cleared<JsonObject> | null;
  readonly rejections: readonly Rejection[];
};

const LOOKS_LIKE_CODE = new RegExp(CODE_FORM);

export class Privacy {
  readonly #options: PrivacyOptions;
  readonly #search: PersonSearch;
  readonly erased: ErasedPersons;

  constructor(options: PrivacyOptions) {
    this.#options = options;
    this.erased = new ErasedPersons(options.secret, options.erased);
    this.#search = new PersonSearch(this.erased);
  }

  /** The fingerprint to store for a list row: a keyed one where it is stored without its person. */
  fingerprint(row: JsonObject): string {
    const plain = fingerprint(row);
    return this.#subject(row) === undefined ? plain : this.strippedFingerprint(plain);
  }

  /** The fingerprint of an order that is stored without its person, from the one it had. */
  strippedFingerprint(fingerprint: string): string {
    const { isPseudonymizing, secret } = this.#options;
    return strippedFingerprint(secret, fingerprint, isPseudonymizing ? 'pseudonymized' : 'erased');
  }

  /** @param records in which persons say who they are */
  finder(records: readonly JsonObject[]): Finder {
    return this.#search.finder(records);
  }

  /**
   * Normalizes a list row that the shop sent, and divides it into what is stored where.
   *
   * @param profile what is known of its account's person
   */
  order(sent: JsonObject, profile: Profile = []): ReadOrder {
    const subject = this.#subject(sent);
    const isStripped = subject !== undefined;
    const context = { ...this.#options.shop, guestSecret: this.#options.secret };
    // Whoever has the key of an order sees its page.
    const { hash: _hash, ...withoutKey } = sent;
    const read = normalizeOrder(isStripped ? withoutKey : sent, context);
    const finds = this.finder([sent, ...profile]);
    const { row, known, rest } = divide(ORDER, isStripped ? withoutKey : sent, read, this.#inOrder(finds));
    const order = { isStripped, payload: cleared(known), person: null, rejections: read.rejections, finds };
    if (row === undefined || read.person === undefined) return { ...order, row: undefined };
    if (subject === undefined) {
      const person = cleared(this.#withoutErased({ ...read.person, rest }));
      return { ...order, row: cleared(row), person };
    }
    const { standIn } = subject;
    const account = standIn === undefined ? {} : { buyer_oid: standIn, customer_key: `u:${standIn}` };
    const payload = standIn === undefined ? known : { ...known, master_oid: standIn };
    return {
      ...order,
      row: cleared({ ...row, ...account }),
      payload: cleared(payload),
      person: this.keptPerson(read.person, sent),
      // Those of the record as it was sent hold what could not be read, which may be the person.
      rejections: normalizeOrder(payload, context).rejections,
    };
  }

  /** What stays of the person of an order that is stored without: fields that the owner keeps. */
  keptPerson(person: OrderPerson, record: JsonObject): ReadOrder['person'] {
    const fields = this.#kept(person.fields, this.#options.keptFields, record);
    return fields && cleared({ ...nobody(person), fields, rest: null });
  }

  /**
   * Divides the answer for an order's lines into what is stored where.
   *
   * @param lines in the answer; undefined where it has none
   */
  lines(
    orderId: string,
    answer: JsonObject,
    lines: readonly JsonValue[] | undefined,
    { finds, isStripped }: OfOrder,
  ): ReadLines {
    const read = normalizeLines(orderId, lines ?? []);
    const { rows, known, rest } = divideContent(answer, lines, read.rows, finds);
    const payload = cleared(known);
    if (isStripped) {
      const { rejections } = normalizeLines(orderId, known.ordercontent ?? []);
      return { rows, payload, rest: null, rejections };
    }
    const own = this.#withoutErased({ rest });
    return { rows, payload, rest: own.rest && cleared(own.rest), rejections: read.rejections };
  }

  /** Whether stored texts hold the person of an account: columns of an order, and of its lines. */
  isFoundIn(profile: Profile, order: StoredTexts, lines: readonly StoredTexts[]): boolean {
    const finds = this.finder(profile);
    return (
      isFoundInRow(ORDER, order, this.#inOrder(finds)) ||
      lines.some((line) => isFoundInRow(LINE, line, finds))
    );
  }

  /** A code that is documented, or classified by the owner, is one whoever it names. */
  #inOrder(finds: Finder): IsFound {
    return (text, kind, column) =>
      finds(text, kind) && !(kind === 'code' && this.#options.knownCodes.has(codeKey(column, text)));
  }

  /** Normalizes a user's record that the shop sent, and divides it into what is stored where. */
  user(userOid: string, sent: JsonObject): ReadUser {
    const { isPseudonymizing, shop } = this.#options;
    const profile = isJsonObject(sent['content']) ? sent['content'] : {};
    const contacts = [profile['email'], profile['phone'], profile['login'], sent['email'], sent['phone']];
    const read = normalizeUser(userOid, sent, shop);
    const finds = this.finder([sent, profile]);
    const isFound: IsFound = (text, kind) => !LOOKS_LIKE_CODE.test(text) || finds(text, kind);
    const { row, known, rest } = divideUser(sent, read, isFound);
    const payload = cleared(known);
    const { rejections } = read;
    if (row === undefined || read.person === undefined)
      return { row: undefined, payload, person: null, rejections };
    if (isPseudonymizing || this.erased.areInAny(contacts)) {
      const stripped = normalizeUser(userOid, payload, shop);
      const person = this.keptProfile(read.person, profile);
      return { row: cleared(row), payload, person, rejections: stripped.rejections };
    }
    const person = cleared(this.#withoutErased({ ...read.person, rest }));
    return { row: cleared(row), payload, person, rejections };
  }

  /** What stays of a user who is stored without the person: fields that the owner keeps. */
  keptProfile(person: UserPerson, profile: JsonObject): ReadUser['person'] {
    const content = this.#kept(profile, this.#options.keptFields.difference(NEVER_KEPT), profile);
    return content && cleared({ ...nobody(person), content, rest: null });
  }

  /** Of the fields of a record, those that are kept although its person is not; a text that holds the person becomes null. */
  #kept(fields: JsonValue, names: ReadonlySet<string>, record: JsonObject): JsonObject | null {
    if (!this.#options.isPseudonymizing || !isJsonObject(fields)) return null;
    const kept = Object.entries(fields).filter(([name]) => names.has(name));
    const finds = this.finder([record]);
    const hidden = hideIn(Object.fromEntries(kept), (text) => finds(text, 'field'));
    return kept.length > 0 && isJsonObject(hidden) ? hidden : null;
  }

  /** Normalizes a group that the shop sent. It is of no person: contacts alone are looked for. */
  group(sent: JsonObject): ReadGroup {
    const read = normalizeGroup(sent, this.#options.shop);
    const { row, known } = divide(GROUP, sent, read, this.finder([]));
    return { row: row && cleared(row), payload: cleared(known), rejections: read.rejections };
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

/** Documented fields of a profile, whatever the settings say. */
const NEVER_KEPT = new Set('login email phone name org_name gender address images'.split(' '));

/** @returns null for every text that holds somebody, at any depth; keys that do are left out */
function hideIn(value: JsonValue, isFound: (text: string) => boolean): JsonValue {
  if (typeof value === 'string') return isFound(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideIn(element, isFound));
  if (!isJsonObject(value)) return isFound(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).filter(([key]) => !isFound(key));
  return Object.fromEntries(entries.map(([key, entry]) => [key, hideIn(entry, isFound)]));
}

/** The columns of a person, of whom nothing is stored. */
function nobody<Person extends object>(person: Person): { readonly [Column in keyof Person]: null } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names stay
  return Object.fromEntries(Object.keys(person).map((column) => [column, null])) as never;
}

function cleared<T>(value: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: only what was divided gets it
  return value as Cleared<T>;
}
