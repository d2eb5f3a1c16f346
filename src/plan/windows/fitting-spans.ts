/** What a page that did not hold all of its window shows about the window's parts. */
import { isBefore, isOpenAbove, isOpenBelow, type Window } from '../../window.ts';

type Minute = Temporal.PlainDateTime;

/**
 * Spans of a window that fit a page, because the list is sorted by date and the page held all of their rows; oldest
 * first. A minute that filled half of the page or more is a span of its own. None where the list is not sorted.
 *
 * @param window what was asked
 * @param sample created minutes of the rows that came, in the order of the list
 */
export function fittingSpans(window: Window, sample: readonly Minute[]): readonly Window[] {
  const [first] = sample;
  if (first === undefined) return [];
  const last = sample.at(-1) ?? first;
  if (isAscending(sample.toReversed())) return newestSpans(window, sample, last);
  if (!isAscending(sample)) return [];
  if (isOpenBelow(window) || isOpenAbove(window)) return oldestSpans(window, sample, last);
  // A list keyed by id comes sorted by id, whatever its page was sorted by: the position of its rows shows which.
  const isNewest = isBefore(window.from.add(last.until(window.to)), first);
  return isNewest ? newestSpans(window, sample, first) : oldestSpans(window, sample, last);
}

/** The page held the newest rows, down to a minute of which more may follow. */
function newestSpans({ from, to }: Window, sample: readonly Minute[], oldest: Minute): readonly Window[] {
  const last = to.subtract({ minutes: 1 });
  // The shop may take the end as inclusive, and a page full of the next minute's rows shows only that.
  const start = isBefore(last, oldest) ? last : oldest.add({ minutes: 1 });
  return within({ from, to }, [...crowded(sample, oldest), { from: start, to }]);
}

/** The page held the oldest rows, up to a minute of which more may follow. */
function oldestSpans({ from, to }: Window, sample: readonly Minute[], newest: Minute): readonly Window[] {
  // Again for an inclusive end: it must be a minute of which all rows came.
  const end = newest.subtract({ minutes: 1 });
  return within({ from, to }, [{ from, to: end }, ...crowded(sample, newest)]);
}

function crowded(sample: readonly Minute[], minute: Minute): readonly Window[] {
  const rows = sample.filter((time) => time.equals(minute)).length;
  return rows * 2 >= sample.length ? [{ from: minute, to: minute.add({ minutes: 1 }) }] : [];
}

/** Only spans that are parts of the window, and smaller. */
function within({ from, to }: Window, spans: readonly Window[]): readonly Window[] {
  return spans.filter((span) => {
    const isPart = !isBefore(span.from, from) && !isBefore(to, span.to) && isBefore(span.from, span.to);
    return isPart && !(span.from.equals(from) && span.to.equals(to));
  });
}

function isAscending(times: readonly Minute[]): boolean {
  return times.every((time, index) => !isBefore(time, times[index - 1] ?? time));
}
