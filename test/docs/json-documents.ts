/** docs/json.md, from the schemas of what commands print. */
import { z } from 'zod';

import { type DescribedDocument, DOCUMENTS, FAILURE } from '../support/documents/documents.ts';
import { code, codes, formatted, markdownTable } from './markdown.ts';

type JsonSchema = {
  readonly type?: string | readonly string[];
  /** Of a document that has a section of its own. */
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly format?: string;
  readonly required?: readonly string[];
};

type Row = readonly [key: string, type: string, meaning: string];

const INTRODUCTION = `# What commands print with --json

<!-- Generated from the schemas in test/support/documents by \`npm run docs:dictionary\`: edit those, not this file. -->

With \`--json\` a command prints JSON documents to standard output, one per line, and nothing else. Notes, progress and logs go
to standard error; \`--quiet\` leaves out all but errors.

- **Keys** are written \`like_this\`. All keys below are always there, unless they are said to be absent.
- **Times** are UTC, in ISO 8601: \`2026-01-31T12:00:00.123Z\`. Days, such as \`2026-01-31\`, are days of the shop.
- **Sums of money** are text, so that no digit is lost.
- **One shop or many**: the lines have the same form. A shop that fails has a line of its own, as below, and the others go on.
- **\`sql --json\`** prints one document with the rows of its result, and so does \`--format json\`.
- **The exit code** is that of the worst line: [what each means](commands.md#exit-codes).

\`\`\`sh
order-sync sync --json | jq 'select(.status != "ok") | {shop, error, problems}'
\`\`\`

New keys may come with any version; a key that is renamed or removed is in the changelog.`;

/** The text of the document. */
export async function renderJsonDocument(): Promise<string> {
  const failed = { commands: ['A failure'], line: 'Any command, and any of its shops.', schema: FAILURE };
  return formatted([INTRODUCTION, ...[failed, ...DOCUMENTS].map(section)].join('\n\n'));
}

function section({ commands, line, schema }: DescribedDocument): string {
  const json = toJsonSchema(schema);
  const forms = json.anyOf ?? [json];
  const tables = forms.map((form) => markdownTable(['key', 'type', 'meaning'], rows(form, '')));
  const heading = commands[0]?.startsWith('A ') === true ? commands.join('') : codes(commands);
  return [`## ${heading}`, line, ...tables].join('\n\n');
}

const toJsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output' }) as JsonSchema;

function rows({ properties = {} }: JsonSchema, path: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const key = `${path}${name}`;
    const own: Row = [code(key), typeText(property), meaningText(property)];
    const inner = innerOf(property);
    return [own, ...(inner === undefined ? [] : rows(inner, `${key}${isList(property) ? '[]' : ''}.`))];
  });
}

/** Without the null that it may also be. */
const solid = (schema: JsonSchema) => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
const typesOf = ({ $ref, type = $ref === undefined ? 'string' : 'object' }: JsonSchema) => [type].flat();
const mayBeNull = (schema: JsonSchema) =>
  schema.anyOf?.some(({ type }) => type === 'null') === true || typesOf(schema).includes('null');
const isList = (schema: JsonSchema) => typesOf(solid(schema)).includes('array');

function innerOf(schema: JsonSchema): JsonSchema | undefined {
  const inner = isList(schema) ? solid(schema).items : solid(schema);
  return inner?.properties === undefined ? undefined : inner;
}

function typeText(schema: JsonSchema): string {
  const { enum: choices, const: only, format, items, additionalProperties } = solid(schema);
  const type = typesOf(solid(schema)).find((name) => name !== 'null') ?? 'null';
  const plain: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'count',
    boolean: 'true or false',
  };
  const formats: Readonly<Record<string, string>> = { 'date-time': 'time', date: 'day' };
  const one = () => {
    if (only !== undefined) return code(only);
    if (choices !== undefined) return choices.map(code).join(' or ');
    if (type === 'array') return `list of ${items?.type === 'object' ? 'objects' : 'texts'}`;
    if (typeof additionalProperties === 'object') return 'object of counts';
    return formats[format ?? ''] ?? plain[type] ?? type;
  };
  return type !== 'null' && mayBeNull(schema) ? `${one()} or null` : one();
}

function meaningText(schema: JsonSchema): string {
  return schema.description ?? solid(schema).description ?? '';
}
