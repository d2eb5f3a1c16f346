import { expect, test } from 'vitest';

import type { JsonObject } from '../../../src/model/json.ts';
import { PersonSearch } from '../../../src/normalize/privacy/find-persons.ts';
import type { SearchedText } from '../../../src/warehouse/schema/texts.ts';
import { ErasedPersons } from '../../../src/normalize/privacy/identifiers.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';

const nobody = new ErasedPersons('', new Set());
const search = new PersonSearch(nobody);
const finder = (...records: readonly JsonObject[]) => search.finder(records);
const KINDS: readonly SearchedText[] = ['note', 'code', 'field', 'catalogue', 'key'];

const PERSON = {
  fio: ' Подколёсин Аврелий ',
  phone: '8 916 555 12 34',
  address: 'г. Тверь, ул. Садовая, д. 77, кв. 3',
  login: 'podkol1',
  org_name: 'ООО "Бирюзовый Якорь"',
};

test.each([
  ['the name', 'Кружка для Аврелий Подколёсин'],
  ['the name in another order and case', 'ПОДКОЛЁСИНУ АВРЕЛИЮ'],
  ['the name with something between', 'Подколёсин (муж) Аврелий'],
  ['the name without dots on letters', 'Аврелием Подколесиным'],
  ['the phone number', 'x 555.12.34'],
  ['its digits within others', '1 (8916) 5551234 5'],
  ['the street with the house', 'на Садовую, дом 77'],
  ['the organization', 'Бирюзовому якорю'],
  ['the organization behind entities', '&laquo;Бирюзовый&nbsp;Якорь&raquo;'],
  ['an e-mail address', 'x@y.example'],
  ['a hidden e-mail address', 'x (at) y.example'],
])('%s is found in whatever text', (_name, text) => {
  expect(KINDS.filter((kind) => !finder(PERSON)(text, kind))).toEqual([]);
});

test.each([
  ['a word of the name', 'спросить Аврелия'],
  ['a word of the organization', 'якорь, вход со двора'],
  ['the login', 'PODKOL1x'],
])('%s is found in what is typed into one record, and is no person in the catalogue', (_name, text) => {
  const isPersonal = finder(PERSON);
  expect(KINDS.filter((kind) => isPersonal(text, kind))).toEqual(['note', 'code', 'field']);
});

test.each([
  '+49 30 1234567',
  '8 (495) 123-45-67',
  '8-800-123-45-67',
  '9165551234',
  '0151 / 23987654',
  '007 916 1234567',
])('the phone number %s of anybody is found, but in identifiers', (text) => {
  expect(KINDS.filter((kind) => finder()(`Кружка, ${text}`, kind))).toEqual([
    'note',
    'code',
    'field',
    'catalogue',
  ]);
});

test.each(['12.04.1985', '1   2   3   4   5   6   7', '1234567', 'x@y'])(
  '"%s" may be a contact where one is typed into one record alone',
  (text) => {
    expect(KINDS.filter((kind) => finder()(text, kind))).toEqual(['note', 'code']);
  },
);

const CONTACTS = [
  'ivan@mail.example|ivan＠mail.example|ivan(at)mail.example|Иван [ собака ] mail.example|ivan&#64;mail.example',
  '+7 916 123-45-67|8    9   1   6    1 2 3 4 5 6 7|8 - 9 - 1 - 6 - 1 - 2 - 3|٠٩١٦١٢٣٤٥٦٧|８９１６１２３４５６７',
  'звонить ①②③④⑤⑥⑦',
].flatMap((texts) => texts.split('|'));
const NO_CONTACTS =
  'Курьер (Москва)|СДЭК до 3 кг, 2-4 дня|Pick-up at shop 12|Зона 5, от 3000 р., 2 дня|'.split('|');

test('where a contact is typed into one record, it is found however it is spelled, in digits of any script', () => {
  const digits = Array.from({ length: 0xff_ff }, (_, at) => String.fromCodePoint(at + 1)).filter((sign) =>
    /\p{Nd}/u.test(sign),
  );
  const texts = [...CONTACTS, ...NO_CONTACTS, ...digits.map((digit) => digit.repeat(7))];
  expect(texts.filter((text) => !finder()(text, 'note'))).toEqual(NO_CONTACTS);
});

test.each([
  ['the name of somebody else', 'Аврелий Тихий'],
  ['another house', 'Садовая, 78'],
  ['a number', 'Набор 100 x 200 x 300, 1000 шт.'],
  ['a bar code', '4600900123456'],
  ['a town', 'Тверь'],
  ['nothing', ' '],
])('%s is not found in the catalogue', (_name, text) => {
  expect(finder(PERSON)(text, 'catalogue')).toBe(false);
});

test.each<[JsonObject, string]>([
  [{ fio: 'Ли На' }, 'Ли На'],
  [{ fio: 'Eva' }, 'for Eva'],
  [{ fio: 'Kim' }, 'to Kim, please'],
  [{ fio: 'И. Марина' }, 'Марина и Ольга'],
  [{ address: 'Москва' }, 'Москва'],
  [{ phone: '12-34' }, '12-34'],
])('of %j, "%s" is nobody in the catalogue: words are few, or short', (record, text) => {
  expect(finder(record)(text, 'catalogue')).toBe(false);
});

test.each<[JsonObject, string]>([
  [{ fio: 'Wilhelmine Zwackelmann' }, 'Zwackelmanns, Wilhelmine'],
  [{ fio: 'Chloé Dubois' }, 'CHLOE DUBOIS'],
  [{ fio: "Liam O'Brien" }, 'liam o&#039;brien'],
  [{ fio: 'अमित शर्मा' }, 'अमित शर्मा के लिए'],
  [{ phone: 89_165_551_234 }, 'ring 555-12-34'],
  [{ phone: JSON.rawJSON('89165551234000001234567') }, 'ring 123-45-67'],
  [{ address: 'Baker Lane' }, 'at baker lane'],
])('of %j, "%s" is found in the catalogue', (record, text) => {
  expect(finder(record)(text, 'catalogue')).toBe(true);
});

/** What buyers and towns are called, too. */
const COMMON =
  'Анна Мария Елена Ольга Юлия Иван Пётр Алексей Юрий Ли Ян Москва Казань Тула Новосибирск Санкт-Петербург Ленина Мира'.split(
    ' ',
  );

test('of 2,000 orders of products that are called like people, towns and numbers, at most one in two hundred is taken for a person', async () => {
  await using simulator = makeShopInProcess({ orders: 2_000, days: 60, seed: 7 });
  const users = new Map(simulator.shop.users().map((user) => [user.oid, user]));
  const hits = simulator.shop.orders().filter((order, at) => {
    const user = users.get(order.buyerOid);
    const profile = user
      ? [{ name: user.fio, phone: user.phone, org_name: user.orgName, login: user.login }]
      : [];
    const { fio, phone, address, email } = order;
    const isPersonal = finder({ fio, phone, address, email }, ...profile);
    const word = (step: number) => COMMON[(at * step) % COMMON.length] ?? '';
    const names = [
      `Кукла «${word(1)}»`,
      `Магнит ${word(3)}, ${at}`,
      `${word(5)} ${word(7)} ${(at * 7919) % 1_000_000} шт.`,
      `Набор ${word(11)} ${at % 130} x ${at % 300} x 1000`,
    ];
    const keys = [order.hash, ...order.lines.flatMap(({ oid, code, articul }) => [oid, code, articul])];
    return (
      [...names, ...order.lines.map(({ name }) => name)].some((name) => isPersonal(name, 'catalogue')) ||
      keys.some((key) => isPersonal(key, 'key')) ||
      [order.deliveryName, order.currency, order.payMethod, order.color, order.discount].some((text) =>
        isPersonal(text, 'note'),
      )
    );
  });
  expect(hits.length).toBeLessThanOrEqual(10);
});

test('products that are called like people and towns are not taken for a person of a short or common name', () => {
  const short = [{ fio: 'Ли' }, { fio: 'Ян Ли' }, { fio: 'Eva' }, { name: 'Том' }];
  const products = (one: string) => [
    `Кукла ${one}`,
    `${one} Ли`,
    `Eva ${one}`,
    `Том и ${one}`,
    `Ли Ян ${one}`,
  ];
  const names = COMMON.flatMap(products);
  expect(short.flatMap((record) => names.filter((name) => finder(record)(name, 'catalogue')))).toEqual([]);
});
