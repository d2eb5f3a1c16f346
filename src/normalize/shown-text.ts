/** Text as a browser shows it: shops send what they print, with entities, and with tags around amounts. */

/** The Latin letters and signs from U+00A0 on, in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
/** Others that PHP and editors write. Numbers from 128 to 159 are those of Windows, as browsers take them. */
const SIGNS =
  'quot " amp & apos \' lt < gt > commat @ period . comma , colon : semi ; excl ! quest ? num # percnt % lpar ( rpar ) ' +
  'lowbar _ plus + equals = sol / bsol \\ ast * dollar $ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d ' +
  'ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • hellip … euro € trade ™ ' +
  'numero № minus − prime ′ Prime ″ larr ← rarr → hearts ♥ #128 € #130 ‚ #132 „ #133 … #139 ‹ #145 ‘ #146 ’ #147 “ ' +
  '#148 ” #149 • #150 – #151 — #153 ™ #155 ›';

const pairs = SIGNS.split(' ');
/** What each entity stands for, by its name. In SQL, `ops.decode_entities` knows the same. */
export const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, at) => [name, String.fromCodePoint(0xa0 + at)] as const),
  ...pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ''] as const] : [])),
]);

const ENTITY = /&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,9});/g;

/** The text with its HTML entities replaced, once: what is unknown stays as it is. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(ENTITY, (entity, name: string) => ENTITIES.get(name) ?? character(name) ?? entity);
}

function character(name: string): string | undefined {
  if (!name.startsWith('#')) return undefined;
  const code = Number(name.replace('#', '').replace(/^x/i, '0x'));
  const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** An e-mail address, however its sign is written, or seven digits of any script that belong together, as in a phone number. */
const CONTACT =
  /@|[([{<]\s*(?:at|At|AT|ат|Ат|АТ|собака|Собака|СОБАКА)\s*[)\]}>]|\p{Nd}(?:(?:\P{Nd}{0,3}|[\s._()/*+:;,\u2010-\u2015-]{0,12})\p{Nd}){6}/u;

/** Whether a text may hold a contact or a date of birth. In SQL, `ops.may_hold_contact` tells the same of a text that is shown. */
export function mayHoldContact(text: string): boolean {
  return CONTACT.test(decodeEntities(text).normalize('NFKC'));
}

/** Stands in a figure for a tag: no figure has one inside. */
export const TAG = '\ue000';
/** Those that style a figure. A class is a word of the page's author; other attributes may hold anything. */
const TAGS =
  /<\/?(?:b|i|u|s|strong|em|span|nobr|font|small|big|sup|sub|div|p|br|del|ins|bdi)(?: class=(["'])[a-zA-Z_ -]{0,40}\1)? ?\/?>/gi;

/** Printable ASCII with no blanks around it, and neither entities nor tags: most figures are. */
const SHOWN_AS_WRITTEN = /^(?! )[ -%'-;=-~]*(?<! )$/;

/** A figure without entities, characters that show nothing, and tags and blanks around it; blanks in it are spaces. */
export function figureText(text: string): string {
  if (SHOWN_AS_WRITTEN.test(text)) return text;
  const shown = decodeEntities(text)
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(TAGS, TAG)
    .replaceAll(/\s/g, ' ');
  return shown.replaceAll(/^[ \ue000]+|[ \ue000]+$/g, '');
}
