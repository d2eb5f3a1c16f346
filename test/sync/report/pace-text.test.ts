import { expect, test } from 'vitest';

import { paceText } from '../../../src/sync/report/shown-figures.ts';
import { throttle } from '../../worker/status-json.ts';

test.each([
  [{}, 'up to 4 at once and 10 a second, the most that the settings allow'],
  [{ limited_by: 'rate', found_rps: 29.7 }, 'the shop takes about 30 requests a second, and refuses more'],
  [{ limited_by: 'rate', found_rps: 2.04 }, 'the shop takes about 2.0 requests a second, and refuses more'],
  [{ limited_by: 'slowness', concurrency: 2 }, '2 at once, of at most 4, since the shop becomes slower'],
  [{ limited_by: 'failures', concurrency: 1 }, '1 at once, of at most 4, since some requests failed'],
] as const)('%j: the text says how fast requests are sent, and why no faster', (given, text) => {
  expect(paceText(throttle(given))).toContain(text);
});
