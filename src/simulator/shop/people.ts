/** Invented people. */
import type { Random } from './random.ts';

/** Contact data as an order shows it; each may be empty. */
export type Contact = {
  readonly fio: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
};

export type Person = Contact & {
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
