/** Persons of a shop, each known to it in a way of its own, and what must be found nowhere once they are forgotten. */

/** Who is to be forgotten. */
export type Person = {
  /** How the command line is told. */
  readonly by: readonly string[];
  readonly account?: number | undefined;
  /** Texts of the person alone, in lower case. */
  readonly texts: readonly string[];
  /** Digits that all spellings of the phone number share. */
  readonly phones: readonly string[];
};

/** Numbers of accounts, below those of the orders. */
export const ACCOUNTS = { member: 70401, rejected: 70402, colleague: 70403, similar: 70404 };

/** No account and no e-mail address: known by telephone alone, which is spelled differently in each order. */
const GUEST = {
  by: ['--phone', '+7 (921) 333-44-55'],
  texts: ['громобоев', 'gromoboev_savelij', 'соловьиный'],
  phones: ['9213334455'],
} satisfies Person;

/** Of the member. */
export const ORGANIZATION = 'бирюзовый якорь';

/** The login of the account is the e-mail address; its orders and its profile name no other contact. */
export const MEMBER = {
  by: ['--email', 'vera.lugovaya@post.example'],
  account: ACCOUNTS.member,
  texts: ['vera.lugovaya@post.example', 'лугова', 'луговой', ORGANIZATION, 'веруня'],
  phones: [],
} satisfies Person;

/** The shop answers for the account with a record that cannot be read. */
export const REJECTED = {
  by: ['--email', 'prohor@zarechny.example'],
  account: ACCOUNTS.rejected,
  texts: ['prohor@zarechny.example', 'заречны', 'прохор'],
  phones: ['4991112233'],
} satisfies Person;

/** Who stays: they look like the others, or mention them. */
export const OTHERS = {
  by: [],
  texts: [
    'пётр громов',
    'xvera.lugovaya@post.example',
    'луговина',
    'vera.lugovaya@post.example.org',
    'ворошин',
    'ефим',
  ],
  phones: ['9993334455', '8127778899', '4957001020'],
} satisfies Person;

export const FORGOTTEN: readonly Person[] = [GUEST, MEMBER, REJECTED];

/** Shared by two accounts: it stays when one of them is forgotten. */
export const OFFICE_PHONE = '+7 495 700-10-20';

/** Orders that the three made, as they are typed into the shop's form. */
export const ORDERS = {
  guest: ['+7 (921) 333-44-55', '8 921 333 44 55', '007-921-333-44-55', '921 3334455'].map((phone) => ({
    buyerOid: 6,
    fio: 'Савелий Громобоев',
    email: '',
    phone,
    address: 'Соловьиный пер. 3',
    comment: 'отдать Громобоеву',
    fields: [
      { key: 'source', value: 'Instagram', label: 'Источник' },
      { key: 'gift', value: 'Громобоеву от соседа', label: 'Подарок для Громобоева' },
      { key: 'Савелий Громобоев', value: 'да', label: 'Кому' },
    ],
  })),
  member: { fio: 'Вера Луговая', email: '', phone: '', address: '', comment: 'для Веруни', fields: [] },
  rejected: { fio: 'Прохор Заречный', email: 'Prohor@Zarechny.example', phone: '+7 499 111-22-33' },
};

/** Fields of the list row that the shop's own software fills, and staff edits, in an order of each. */
export const RAW_ROWS = {
  guest: {
    'Савелий Громобоев': 'сам заберёт',
    gromoboev_savelij: 'подарок',
    savelij: { 'Савелий Громобоев': ['8 921 333 44 55'] },
    summ: 'Громобоев',
    status: 'Громобоеву',
    pay_method: 'Громобоев',
    delivery: 'Курьером: Громобоев',
  },
  member: { org_name: 'Бирюзовый Якорь', delivery: 'Пункт «Бирюзовый Якорь»', color: 'Луговая' },
  /** Of a stranger: the three are mentioned by their contacts, one of them in a key. */
  stranger: {
    helpers: { 'vera.lugovaya@post.example': 'жена', '8 (921) 333-44-55': 'сосед', lift: 'да' },
    calls: [{ to: 89213334455 }, 'Prohor@Zarechny.example.'],
    pay_status: '8 921 333 44 55',
  },
};

/** Profiles as the shop sends them, with fields that it invented. */
export const PROFILES = {
  member: {
    login: 'Vera.Lugovaya@Post.example',
    email: '',
    phone: '',
    name: 'Вера Луговая',
    org_name: 'Бирюзовый Якорь',
    level: 2,
    nick: 'Веруня Луговая',
    wishes: { cake: 'торт, для «Вера Луговая»', notes: ['в Бирюзовый Якорь', 'свечи'] },
    motto: 'тише едешь',
  },
  rejected: {
    login: 'prohor',
    email: 'prohor@zarechny.example',
    phone: OFFICE_PHONE,
    name: 'Прохор Заречный',
  },
  colleague: {
    login: 'colleague',
    email: 'colleague@office.example',
    phone: OFFICE_PHONE,
    name: 'Клим Ворошин',
    nick: 'Климушка',
  },
  /** Her address begins and ends like that of the member. */
  similar: {
    login: 'similar',
    email: 'vera.lugovaya@post.example.org',
    phone: '+7 812 777-88-99',
    name: 'Вера Луговина',
  },
};
