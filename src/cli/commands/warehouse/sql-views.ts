import { nextStep } from '../../../model/next-step.ts';
import { UsageError } from '../../../model/errors.ts';
import { fullName, type View } from '../../../warehouse/query/read-views.ts';
import type { CliContext } from '../../output/io.ts';
import { layOut } from '../../output/layout.ts';

export type ViewsRequest = {
  /** As it was typed, with or without its schema; undefined: all. */
  readonly view: string | undefined;
  /** Schemas that the role may read. */
  readonly schemas: readonly string[];
  readonly asJson: boolean;
};

/** All views with a sentence each, or one with its columns. @throws UsageError when there is no such view */
export function printViews({ io }: CliContext, views: readonly View[], request: ViewsRequest): void {
  const { view: name } = request;
  const shown = name === undefined ? readable(views, request) : [findView(views, name, request)];
  if (request.asJson) {
    io.out(shown.map((view) => `${JSON.stringify(toDocument(view))}\n`).join(''));
    return;
  }
  const rows = shown.map((view) => [fullName(view), firstSentence(view.comment)]);
  const listed = [{ table: [['view', 'about'], ...rows] }];
  io.out(layOut(name === undefined ? listed : shown.flatMap(viewText), io.outColumns()));
}

const readable = (views: readonly View[], { schemas }: ViewsRequest) =>
  views.filter(({ schema }) => schemas.includes(schema));

function findView(views: readonly View[], asked: string, request: ViewsRequest): View {
  const name = asked.replaceAll('"', '').toLowerCase();
  const found = views.find((view) => [view.name, fullName(view)].includes(name));
  if (found !== undefined && request.schemas.includes(found.schema)) return found;
  if (found !== undefined) throw new UsageError(`${fullName(found)} holds personal data: --pii shows it`);
  throw new UsageError(`there is no view ${asked}; ${nextStep('list views')} lists them all`);
}

function viewText(view: View) {
  const rows = view.columns.map(({ name, type, comment }) => [name, type, comment]);
  const about = view.comment === '' ? [] : [view.comment];
  return [fullName(view), ...about, '', { table: [['column', 'type', 'about'], ...rows] }];
}

const firstSentence = (comment: string) => /^.*?[.](?=\s|$)/s.exec(comment)?.[0] ?? comment;

const toDocument = (view: View) => ({
  view: fullName(view),
  comment: view.comment,
  columns: view.columns.map(({ name, type, comment }) => ({ name, type, comment })),
});
