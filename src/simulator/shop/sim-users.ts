/** Invented people; the shop's registered users, finding them by oid, login or e-mail, and the tree of their groups. */
import { DAY_S, type LocalSeconds, toPlain } from './shop-clock.ts';
import { Random } from './random.ts';

/** Contact data as an order shows it; each may be empty. */
export type Contact = {
  readonly fio: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
};

type Person = Contact & {
  readonly gender: 'male' | 'female';
  /** Latin letters and digits, unique to the person. */
  readonly nickname: string;
};

type Name = readonly [text: string, latin: string];

const MEN = parseNames('Иван=ivan, Пётр=petr, Алексей=alexey, Дмитрий=dmitry, Сергей=sergey, Юрий=yury');
const WOMEN = parseNames('Анна=anna, Мария=maria, Елена=elena, Ольга=olga, Юлия=yulia, Наталья=natalia');
const FAMILIES = parseNames(
  'Соколов=sokolov, Кузнецов=kuznetsov, Морозов=morozov, Щукин=schukin, ' +
    'Воробьёв=vorobev, Жуков=zhukov, Ёлкин=elkin, Зайцев=zaytsev',
);
const LATIN_MEN = parseNames("Jürgen Weiß=juergen.weiss, Liam O'Brien=liam.obrien, Tomáš Novák=tomas.novak");
const LATIN_WOMEN = parseNames('Zoë Müller=zoe.mueller, Chloé Dubois=chloe.dubois, Anna Smith=anna.smith');
const CITIES = ['Москва', 'Санкт-Петербург', 'Казань', 'Новосибирск', 'Екатеринбург', 'Тула'];
const STREETS = ['ул. Ленина', 'пр. Мира', 'ул. Садовая', 'наб. Речная', 'ул. Лесная'];
const MAIL_DOMAINS = ['example.com', 'example.org', 'mail.example'];

/** @param number makes the nickname and the e-mail address unique */
export function makePerson(random: Random, number: number): Person {
  const gender = random.chance(0.55) ? 'female' : 'male';
  const [fio, latin] = random.chance(0.15)
    ? random.pick(gender === 'male' ? LATIN_MEN : LATIN_WOMEN)
    : cyrillicName(random, gender);
  const nickname = `${latin}${number}`;
  const email = random.chance(0.08) ? '' : `${nickname}@${random.pick(MAIL_DOMAINS)}`;
  return { fio, gender, nickname, email, phone: makePhone(random), address: makeAddress(random) };
}

function cyrillicName(random: Random, gender: Person['gender']): Name {
  const [first, firstLatin] = random.pick(gender === 'male' ? MEN : WOMEN);
  const [family, familyLatin] = random.pick(FAMILIES);
  const [ending, latinEnding] = gender === 'male' ? ['', ''] : ['а', 'a'];
  return [`${family}${ending} ${first}`, `${firstLatin}.${familyLatin}${latinEnding}`];
}

function parseNames(list: string): readonly Name[] {
  return list.split(', ').map((entry) => {
    const [text = '', latin = ''] = entry.split('=');
    return [text, latin];
  });
}

function makePhone(random: Random): string {
  if (random.chance(0.05)) return '';
  const digits = String(random.below(10_000_000)).padStart(7, '0');
  const code = random.pick(['900', '916', '921', '999']);
  if (random.chance(0.4)) return `7${code}${digits}`;
  return `+7 (${code}) ${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`;
}

function makeAddress(random: Random): string {
  if (random.chance(0.2)) return '';
  const city = random.pick(CITIES);
  return `г. ${city}, ${random.pick(STREETS)}, д. ${random.between(1, 120)}, кв. ${random.between(1, 300)}`;
}

export type SimUser = Person & {
  readonly oid: number;
  readonly login: string;
  readonly orgName: string;
  readonly level: number;
  readonly groupOid: number;
  /** Names of the user's pictures. */
  readonly images: readonly string[];
  /** False where the API shows an empty `content`, as if the data had been erased. */
  readonly hasContent: boolean;
  readonly uniqueKey: string;
  readonly createdLocal: Temporal.PlainDateTime;
  readonly updatedLocal: Temporal.PlainDateTime;
};

/** The buyer of orders placed without registration; there is no such user record. */
export const GUEST_OID = 6;
const FIRST_USER_OID = 20_001;
const OID_STEP = 2;

/** The time covered by the shop's orders; half-open. */
export type ShopSpan = { readonly from: LocalSeconds; readonly to: LocalSeconds };

/** The share of all users that was registered before the shop's orders begin. */
const EARLY_SHARE = 0.3;

/** How many of `users`, the first ones, were registered when `elapsed` (0 to 1) of the shop's span had passed. */
export function countRegistered(users: number, elapsed: number): number {
  return Math.max(1, Math.floor(users * (EARLY_SHARE + (1 - EARLY_SHARE) * elapsed)));
}

export function makeUsers(
  seed: number,
  count: number,
  groups: readonly SimGroup[],
  span: ShopSpan,
): readonly SimUser[] {
  const leaves = leafGroups(groups);
  return Array.from({ length: count }, (_, index) => {
    const random = new Random(seed, 'user', index);
    const person = makePerson(random, index + 1);
    const elapsed = (index / count - EARLY_SHARE) / (1 - EARLY_SHARE);
    const early = span.from - random.between(1, 600) * DAY_S;
    const created = elapsed < 0 ? early : Math.floor(span.from + elapsed * (span.to - span.from));
    const isFirm = random.chance(0.1);
    return {
      ...person,
      oid: FIRST_USER_OID + index * OID_STEP,
      login: person.nickname,
      orgName: isFirm ? `ООО "${random.pick(['Ромашка', 'Вектор', 'Заря'])}"` : '',
      level: random.pick([1, 1, 1, 2, 3]),
      groupOid: random.pick(leaves).oid,
      images: random.chance(0.05) ? [`avatar-${index}.jpg`] : [],
      hasContent: !random.chance(0.01),
      uniqueKey: random.hex(32),
      createdLocal: toPlain(created),
      updatedLocal: toPlain(Math.min(span.to - 1, created + random.below(90 * DAY_S))),
    };
  });
}

/** Looks a user up as `/users/KEY` and `/auth` do. */
export function findUser(
  users: readonly SimUser[],
  by: 'oid' | 'login' | 'email',
  key: string,
): SimUser | undefined {
  const user = by === 'oid' ? users[(Number(key) - FIRST_USER_OID) / OID_STEP] : undefined;
  if (by === 'oid' || key === '') return String(user?.oid) === key ? user : undefined;
  return users.find((each) => each[by].toLowerCase() === key.toLowerCase());
}

/** Of a tree three levels deep; children are found only through their parent. */
export type SimGroup = {
  readonly oid: number;
  /** 0 at the top. */
  readonly parentOid: number;
  readonly name: string;
  readonly url: string;
  readonly sort: number;
  readonly access: number;
  readonly createdLocal: Temporal.PlainDateTime;
  readonly updatedLocal: Temporal.PlainDateTime;
};

const FIRST_GROUP_OID = 1001;
const TOP = ['Покупатели', 'Опт', 'Партнёры'];
const MIDDLE = ['Москва и область', 'Регионы', 'Акции'];
/** One folder of a large shop holds more groups than a page of the default size. */
const CROWDED_FOLDER = 'Акции';
const CROWDED_SIZE = 120;

/**
 * @param start of the shop's history; the groups are older
 * @param isCrowded one folder holds more groups than a page; slow, since a reader asks about each of them
 */
export function makeGroups(seed: number, start: LocalSeconds, isCrowded: boolean): readonly SimGroup[] {
  const groups: SimGroup[] = [];
  const random = new Random(seed, 'groups');
  const add = (parentOid: number, name: string, sort: number): number => {
    const oid = FIRST_GROUP_OID + groups.length;
    const created = start - random.between(30, 900) * DAY_S + random.below(DAY_S);
    const updatedLocal = toPlain(created + random.below(20 * DAY_S));
    const times = { createdLocal: toPlain(created), updatedLocal };
    groups.push({ oid, parentOid, name, url: `group-${oid}`, sort, access: random.below(4), ...times });
    return oid;
  };
  for (const [top, topName] of TOP.entries()) {
    const topOid = add(0, topName, top);
    for (const [middle, middleName] of MIDDLE.entries()) {
      const middleOid = add(topOid, `${topName}: ${middleName}`, middle);
      const size = isCrowded && top === 0 && middleName === CROWDED_FOLDER ? CROWDED_SIZE : 2;
      for (let leaf = 0; leaf < size; leaf += 1) add(middleOid, `${middleName} №${leaf + 1}`, leaf);
    }
  }
  return groups;
}

/** The groups without children, which users belong to. */
function leafGroups(groups: readonly SimGroup[]): readonly SimGroup[] {
  const parents = new Set(groups.map((group) => group.parentOid));
  return groups.filter((group) => !parents.has(group.oid));
}
