import { nextStep } from '../../../model/next-step.ts';
import { UsageError } from '../../../model/errors.ts';
import { fullName, type View } from '../../../warehouse/query/read-views.ts';
import type { CliContext } from '../../output/io.ts';
import { table } from '../../output/table.ts';
import { wrap } from '../../output/display-text.ts';
import { meantView } from '../../output/query-failure.ts';

export type ViewsRequest = {
  /** As it was typed, with or without its schema; undefined: all. */
  readonly view: string | undefined;
  /** Schemas that the role may read. */
  readonly schemas: readonly string[];
  readonly asJson: boolean;
};

/** What psql's users type: `\dt` and `\dv` list, `\d NAME` describes. */
const OF_PSQL = /^\\d[tvm]?[+S]*(?:\s+(?<view>[^\s;]+))?$/;

/** @returns the view that the text asks for, as psql's `\d` does; undefined: it is another text */
export function parseDescribe(statement: string): Pick<ViewsRequest, 'view'> | undefined {
  const found = OF_PSQL.exec(statement);
  return found === null ? undefined : { view: found.groups?.['view'] };
}

/** Prints all views with a sentence each, or one with its columns. @throws UsageError when there is no such view */
export function printViews({ io }: CliContext, views: readonly View[], request: ViewsRequest): void {
  const shown =
    request.view === undefined ? readable(views, request) : [findView(views, request.view, request)];
  if (request.asJson) io.out(shown.map((view) => `${JSON.stringify(toDocument(view))}\n`).join(''));
  else
    io.out(request.view === undefined ? listText(shown, io.outColumns()) : viewText(shown, io.outColumns()));
}

const readable = (views: readonly View[], { schemas }: ViewsRequest) =>
  views.filter(({ schema }) => schemas.includes(schema));

function findView(views: readonly View[], asked: string, request: ViewsRequest): View {
  const name = asked.replaceAll('"', '').toLowerCase();
  const found = views.find((view) => [view.name, fullName(view)].includes(name));
  if (found !== undefined && request.schemas.includes(found.schema)) return found;
  if (found !== undefined) throw new UsageError(`${fullName(found)} holds personal data: --pii shows it`);
  const meant = meantView(readable(views, request), name.replace(/^.*[.]/, ''));
  const next =
    meant === undefined ? `${nextStep('list views')} lists them all` : `there is ${fullName(meant)}`;
  throw new UsageError(`there is no view ${asked}; ${next}`);
}

function listText(views: readonly View[], columns: number | undefined): string {
  const rows = views.map((view) => [fullName(view), firstSentence(view.comment)]);
  return table([['view', 'about'], ...rows], columns);
}

function viewText(views: readonly View[], columns: number | undefined): string {
  const lines = (text: string) => (columns === undefined ? [text] : wrap(text, columns)).join('\n');
  return views
    .map((view) => {
      const rows = view.columns.map(({ name, type, comment }) => [name, type, comment]);
      const heading = [fullName(view), lines(view.comment)].filter((line) => line !== '').join('\n');
      return `${heading}\n\n${table([['column', 'type', 'about'], ...rows], columns)}`;
    })
    .join('\n');
}

const firstSentence = (comment: string) => /^.*?[.](?=\s|$)/s.exec(comment)?.[0] ?? comment;

const toDocument = (view: View) => ({
  view: fullName(view),
  comment: view.comment,
  columns: view.columns.map(({ name, type, comment }) => ({ name, type, comment })),
});
