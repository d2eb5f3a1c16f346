/** What to do about a column that does not exist. */
import { nearestName } from '../../config/nearest-name.ts';
import { fullName, type View } from '../../warehouse/query/read-views.ts';
import { LIST_VIEWS, type Mistake } from './query-mistake.ts';

const NAME = String.raw`(?:"[^"]*"|[\p{L}\p{N}_$%‘’“”«»„]+)`;
const REFERENCE = new RegExp(String.raw`⌖((?:${NAME}\s*\.\s*)*)(${NAME})`, 'u');
/** Where a text in quotes may stand: after a comparison, or in a list. */
const VALUE_PLACE = /(?:[<>=]|\bI?LIKE|\bIN\s*\((?:[^()]*,)?)\s*⌖/i;
/** Two letters of a shorter word make another word. */
const MIN_TYPO_LENGTH = 5;
/** More views than these are no help. */
const MAX_VIEWS = 6;

/** Of words for persons and how to reach them. */
const PERSONAL: readonly (readonly [said: RegExp, column: string])[] = [
  [/mail/, 'email'],
  [/phone|mobile|^tel$/, 'phone'],
  [/address/, 'address'],
  [/^(buyer|client|customer|first|last|full)_?name$|^surname$/, 'name'],
];

/** The column that PostgreSQL does not know. */
type Unknown = {
  /** As PostgreSQL reads it: in lower case, unless it is quoted. */
  readonly name: string;
  /** As it was typed, without quotes. */
  readonly typed: string;
  readonly isQuoted: boolean;
  readonly isQualified: boolean;
};

/** @returns undefined: PostgreSQL's own hint, if any, is the better one */
export function columnHint(mistake: Mistake): string | undefined {
  const unknown = readReference(mistake.marked);
  if (unknown === undefined) return undefined;
  // It knows the column, by another name of its view.
  if (mistake.error.hint?.includes(`.${unknown.name}"`) === true) return undefined;
  const sure = typographicHint(unknown) ?? caseHint(unknown, mistake) ?? aliasHint(unknown, mistake);
  if (sure !== undefined) return sure;
  // `status = paid` may mean either.
  const either = [valueHint(unknown, mistake), otherViewHint(unknown, mistake)].filter(
    (hint) => hint !== undefined,
  );
  if (either.length > 0) return either.join(' ');
  const last = mistake.error.hint === undefined ? LIST_VIEWS : undefined;
  return personHint(unknown, mistake) ?? last;
}

function readReference(marked: string): Unknown | undefined {
  const [, qualifier = '', last] = REFERENCE.exec(marked) ?? [];
  if (last === undefined) return undefined;
  const isQuoted = last.startsWith('"');
  const typed = isQuoted ? last.slice(1, -1) : last;
  const name = isQuoted ? typed : typed.toLowerCase();
  return { name, typed, isQuoted, isQualified: qualifier !== '' };
}

const having = (views: readonly View[], name: string) =>
  views.filter(({ columns }) => columns.some((column) => column.name === name));
const inSchema = ({ views }: Mistake, schema: string) => views.filter((view) => view.schema === schema);

function typographicHint({ typed }: Unknown): string | undefined {
  const text = typed.replaceAll(/[‘’“”«»„]/g, '');
  return /^[‘’“”«»„]/.test(typed) ? `Text goes in straight single quotes: '${text}'.` : undefined;
}

function caseHint({ name }: Unknown, { views }: Mistake): string | undefined {
  const lower = name.toLowerCase();
  const isKnown = lower !== name && having(views, lower).length > 0;
  return isKnown ? `Names are in lower case: ${lower}.` : undefined;
}

function aliasHint({ name, isQualified }: Unknown, { query }: Mistake): string | undefined {
  if (isQualified || !/^[\p{L}\p{N}_]+$/u.test(name)) return undefined;
  const isAlias = new RegExp(String.raw`\bAS\s+"?${name}(?![\p{L}\p{N}_])`, 'iu').test(query);
  const isOfView = new RegExp(String.raw`\b(FROM|JOIN)\s+[\w.]+\s+AS\s+${name}\b`, 'i').test(query);
  return isAlias && !isOfView
    ? `WHERE, HAVING and calculations do not know the names that SELECT gives: repeat what ${name} stands for.`
    : undefined;
}

function otherViewHint({ name }: Unknown, mistake: Mistake): string | undefined {
  const views = having(inSchema(mistake, 'bi'), name).map(fullName);
  if (views.length === 0) return undefined;
  const more = views.length > MAX_VIEWS ? `, and ${views.length - MAX_VIEWS} more` : '';
  return `${name} is a column of ${views.slice(0, MAX_VIEWS).join(', ')}${more}.`;
}

function personHint({ name }: Unknown, mistake: Mistake): string | undefined {
  const said = PERSONAL.find(([words]) => words.test(name))?.[1] ?? name;
  const found = inSchema(mistake, 'bi_pii').flatMap((view) =>
    view.columns
      .filter((column) => [said, `buyer_${said}`].includes(column.name))
      .map((column) => `${fullName(view)} has ${column.name}`),
  );
  if (found.length === 0) return undefined;
  const how = mistake.role === 'bi_reader' ? '; --pii shows them' : '';
  return `This is personal data: ${found.join(', ')}${how}.`;
}

function valueHint({ name, typed, isQuoted, isQualified }: Unknown, mistake: Mistake): string | undefined {
  if (isQualified || !VALUE_PLACE.test(mistake.marked)) return undefined;
  const known = mistake.views.flatMap(({ columns }) => columns.map((column) => column.name));
  const others = known.filter((column) => column !== name);
  const isTypo = name.length >= MIN_TYPO_LENGTH && nearestName(name, others) !== undefined;
  if (isTypo && !isQuoted) return undefined;
  return `Text goes in single quotes: '${typed.replaceAll("'", "''")}'.`;
}
