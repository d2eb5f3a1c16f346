/** Two persons, each named in every way that people write, in every text of their orders, of their account and of a group. */
import type { JsonObject } from '../../../../src/model/json.ts';
import type { OrderChange } from '../../../../src/simulator/shop/sim-order.ts';

/** How somebody types a person, by what it is of the person. */
type Canaries = Readonly<
  Record<'names' | 'phones' | 'emails' | 'addresses' | 'organizations', readonly string[]>
>;

export const ACCOUNT = 70_401;

/** Known by an account, which alone tells the organization. */
const MEMBER: Canaries = {
  names: [
    'Аврелий Подколёсин',
    'АВРЕЛИЙ ПОДКОЛЁСИН',
    'подколёсин аврелий',
    'Подколёсину Аврелию',
    'Аврелием Подколёсиным',
  ],
  phones: [
    '+7 916 555-12-34',
    '8 (916) 555-12-34',
    '89165551234',
    '79165551234',
    '9165551234',
    '007 916 5551234',
    '8-916-555-12-34',
    '+7.916.555.12.34',
  ],
  emails: ['podkol@mail.canary', 'Podkol@Mail.Canary'],
  addresses: ['Кривоколенный пер., д. 77', 'КРИВОКОЛЕННЫЙ 77'],
  organizations: ['Бирюзовый Якорь', 'якорь бирюзовый', 'БИРЮЗОВОМУ ЯКОРЮ'],
};

/** Known by orders alone. */
const GUEST: Canaries = {
  names: [
    'Wilhelmine Zwackelmann',
    'WILHELMINE ZWACKELMANN',
    'zwackelmann, wilhelmine',
    'Wilhelmine Zwackelmanns',
  ],
  phones: ['+49 151 2398 7654', '0151 / 23987654', '+4915123987654'],
  emails: ['w.zwackelmann@mail.canary'],
  addresses: ['Quittenweg 77'],
  organizations: [],
};

/** Whom only a group names: a group is of nobody, so that nothing tells that this is a person. */
export const NOBODY = 'Ефросинья Мокроусова';

/** By which any of them is recognized, for PostgreSQL, whatever the case. */
export const TRACES = [
  'подкол[её]син|аврели|кривокол|бирюз|zwackelm|wilhelmin|quittenw|mail\\.canary',
  ...['5551234', '23987654'].map((digits) => digits.split('').join('[-\\s().]{0,3}')),
].join('|');

const kindsOf = (canaries: Canaries) => Object.values(canaries).flat();

/** What stands before a canary, by the field of a list row. */
const ROW = {
  status: '',
  pay_status: '',
  color: 'red ',
  currency: 'EUR ',
  pay_method: 'card of ',
  discount: '10% ',
  delivery: 'Курьером: ',
  hash: 'h-',
};
const LINE = { oid: '17_', code: 'c-', name: 'Кружка, ', articul: 'A-1 ', discount: '5% ' };
/** In an order of theirs. */
export const TEXTS = Object.keys(ROW).length + Object.keys(LINE).length;

export type PlantedOrder = {
  readonly change: OrderChange;
  readonly row: JsonObject;
  readonly line: JsonObject;
};

/** As many orders as there are canaries: each of them stands in each field of one order. */
function plant(canaries: Canaries, change: OrderChange): readonly PlantedOrder[] {
  const kinds = kindsOf(canaries);
  return kinds.map((_, at) => {
    const fill = (prefixes: Readonly<Record<string, string>>, from: number) =>
      Object.fromEntries(
        Object.entries(prefixes).map(([field, prefix], place) => [
          field,
          prefix + (kinds[(at + from + place) % kinds.length] ?? ''),
        ]),
      );
    const line = { ...fill(LINE, Object.keys(ROW).length), count: 1, price: 5, total: 5 };
    return { change, row: fill(ROW, 0), line };
  });
}

export const ORDERS: readonly PlantedOrder[] = [
  ...plant(MEMBER, {
    buyerOid: ACCOUNT,
    fio: 'Подколёсин Аврелий',
    email: '',
    phone: '8 916 555 12 34',
    address: 'г. Тверь, Кривоколенный пер., д. 77, кв. 3',
    comment: 'спросить Подколёсина',
  }),
  ...plant(GUEST, {
    buyerOid: 6,
    fio: 'Wilhelmine Zwackelmann',
    email: 'w.zwackelmann@mail.canary',
    phone: '+49 151 2398 7654',
    address: 'Quittenweg 77, 04229 Birnstadt',
    comment: 'ring for Zwackelmann',
  }),
];

/** Somebody else, whose free text mentions both by their contacts. */
export const STRANGER: OrderChange = {
  buyerOid: 6,
  fio: 'Ефим Тихонов',
  email: 'efim@other.example',
  phone: '+7 812 111-00-99',
  comment: 'или 8 916 555 12 34, w.zwackelmann@mail.canary',
};

/** The account as the shop sends it. */
export const PROFILE: JsonObject = {
  oid: ACCOUNT,
  parent_oid: 1001,
  name: 'Аврелий Подколёсин',
  url: 'podkol-89165551234',
  type: 'Подколёсин',
  template: 'podkol@mail.canary',
  visible: 'Подколёсин',
  access: '89165551234',
  note: 'для Подколёсина',
  content: {
    login: 'podkol@mail.canary',
    email: 'podkol@mail.canary',
    phone: '+7 916 555-12-34',
    name: 'Аврелий Подколёсин',
    org_name: 'ООО «Бирюзовый Якорь»',
    level: 2,
    nick: 'Подколёсин',
  },
};

/** Groups as the shop sends them: each of their texts holds a contact, or a name. */
export const GROUPS: readonly JsonObject[] = [...MEMBER.phones, ...MEMBER.emails].map((contact, at) => ({
  oid: 9000 + at,
  parent_oid: 0,
  name: `Друзья, ${contact}`,
  url: `g-${contact}`,
  type: contact,
  template: contact,
  visible: contact,
  access: contact,
  sort: at,
}));
export const NAMED_GROUP: JsonObject = { oid: 9100, parent_oid: 0, name: NOBODY, url: 'g', sort: 1 };
