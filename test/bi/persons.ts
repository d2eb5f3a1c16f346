/** A thousand persons in ten languages, as they might fill in a form. */

export type Person = Readonly<
  Record<'name' | 'first' | 'last' | 'email' | 'phone' | 'address' | 'born' | 'wish', string>
>;

type Language = {
  readonly first: string;
  readonly last: string;
  readonly street: string;
  readonly wish: (name: string) => string;
};

const LANGUAGES: readonly Language[] = [
  {
    first: 'Olivia Amelia Harry George Isla Freya Arthur Noah Ivy Oscar',
    last: 'Whitfield Ashdown Penrose Hartley Thorne Blythe Colbert Darrow Eastman Fairfax',
    street: 'Baker Lane',
    wish: (name) => `please ring ${name} after six`,
  },
  {
    first: 'Лев Пётр Анна Ольга Тимофей Мирон Злата Варвара Ярослав Ксения',
    last: 'Соколовский Верещагин Ломтев Ручьёв Зимин Жуковин Черных Долгих Шубин Щеглов',
    street: 'ул. Заречная',
    wish: (name) => `звонить после 18 ${name}`,
  },
  {
    first: 'Остап Соломія Захар Мирослава Любомир Зоряна Назар Орися Тарас Устина',
    last: 'Ковальчук Гнатюк Шевчишин Бондарук Їжакевич Ґалаґан Панчук Довбуш Кривоніс Сірко',
    street: 'вул. Хрещата',
    wish: (name) => `для ${name}, домофон не працює`,
  },
  {
    first: 'Jürgen Grete Anselm Heike Lothar Traudl Rüdiger Sieglinde Bodo Käthe',
    last: 'Müllersohn Weißmann Königsdorf Bräutigam Schäfermann Großkopf Jägermeyer Lückert Höfling Zöllner',
    street: 'Lindengasse',
    wish: (name) => `bitte bei ${name} klingeln`,
  },
  {
    first: 'Élodie Théo Anaïs Loïc Maëlle Gaël Noémie Jérôme Océane Rémi',
    last: 'Lefèvrier Beaumontel Charpentin Dubosquet Fontanelle Girardot Hébrard Joubertin Laflèche Moulinet',
    street: 'rue des Lilas',
    wish: (name) => `laisser chez ${name} au troisième`,
  },
  {
    first: 'Łucja Zbigniew Świętosława Mścisław Bożena Żaneta Radosław Grażyna Jarosław Włodzimierz',
    last: 'Wiśniewiecki Brzęczyk Szczepanik Żurawski Ćwikliński Łabędź Gołąbek Jabłonka Krzemień Świderek',
    street: 'ul. Różana',
    wish: (name) => `zostawić u ${name}`,
  },
  {
    first: 'Çağla Ümit İpek Şükrü Gülşen Öykü Tuğrul Nazlı Yiğit Ayşenur',
    last: 'Yıldızoğlu Çelikbaş Özgürel Şahinkaya Güneştepe Karadağlı Tütüncüler Erdoğmuş Aydınlık Bülbülcan',
    street: 'Gül Sokak',
    wish: (name) => `lütfen ${name} arayın`,
  },
  {
    first: '美咲 翔太 陽菜 大輔 結衣 健太郎 葵衣 拓海斗 千尋 悠真',
    last: '佐々木野 長谷川辺 小笠原沢 五十嵐山 勅使河原 東海林田 九十九里 安孫子川 日比谷口 御手洗原',
    street: '桜丘',
    wish: (name) => `${name}に電話してください`,
  },
  {
    first: 'ליאורה אביתר שירה נחשון תהילה עמיחי רננה אלקנה הדסה יהונדב',
    last: 'בןישי הררי אלמגור שטרנברג כהנמן פרידלנדר רוזנצוויג אבוחצירא דרוויש צימרינג',
    street: 'רחוב הגפן',
    wish: (name) => `להתקשר אל ${name}`,
  },
  {
    first: 'Íñigo Begoña Ángeles Joaquín Núria Fermín Yáiza Ramón Lucía Óscar',
    last: 'Ibáñezola Echeverría Muñozgil Peñalver Quiñones Zúñigar Castañeda Ordóñez Villaseñor Arístegui',
    street: 'calle Olmo',
    wish: (name) => `llamar a ${name} antes`,
  },
];

/** No two of them share a name, and no twenty a first or a last name. */
export const PERSONS: readonly Person[] = LANGUAGES.flatMap(({ first, last, street, wish }, language) =>
  first.split(' ').flatMap((given, i) =>
    last.split(' ').map((family, j): Person => {
      const number = 1_000 + language * 100 + i * 10 + j;
      const name = `${given} ${family}`;
      return {
        name,
        first: given,
        last: family,
        email: `person${number} [at] mail.example`,
        phone: `8 916 ${number}-${number}`,
        address: `${street} ${number}`,
        born: `${String((number % 28) + 1).padStart(2, '0')}.${String((i % 12) + 1).padStart(2, '0')}.${1_900 + language * 10 + j}`,
        wish: wish(name),
      };
    }),
  ),
);

/** Texts of which each entry of a person contains at least one. */
export const FRAGMENTS: readonly string[] = [
  ...LANGUAGES.flatMap(({ first, last, street }) => [...first.split(' '), ...last.split(' '), street]),
  '[at] mail.example',
  '8 916 ',
  ...Array.from({ length: 12 }, (_, month) => `.${String(month + 1).padStart(2, '0')}.19`),
];
