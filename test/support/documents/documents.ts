/** What each command prints with `--json`: the source of docs/json.md. */
import type { z } from 'zod';

import { checkDocument, loginLinkDocument, simulateDocument, sweepDocument, verifyDocument } from './sync.ts';
import { failure } from './common.ts';
import { fetchedGroup, fetchedOrder, fetchedOrderWithLines, fetchedUser } from './fetch.ts';
import { statusDocument } from './status.ts';
import {
  exportDocument,
  forgetDocument,
  migrateDocument,
  replayDocument,
  resultDocument,
  viewDocument,
} from './warehouse.ts';

/** The line of any command, or of any of its shops, that failed. */
export const FAILURE: z.ZodType = failure;

export type DescribedDocument = {
  /** Command lines without options, but for one that makes another command of it: `sql` is not `sql --views`. */
  readonly commands: readonly string[];
  /** What a line stands for. */
  readonly line: string;
  readonly schema: z.ZodType;
};

export const DOCUMENTS: readonly DescribedDocument[] = [
  {
    commands: ['check'],
    line: 'One line per shop, and one for `--alert`; for an address, one for it.',
    schema: checkDocument,
  },
  {
    commands: ['sync', 'backfill'],
    line: 'One line per shop; none for a paused one, which `sync` skips.',
    schema: sweepDocument,
  },
  {
    commands: ['verify'],
    line: 'One line per shop, and after it the line of the failure where a repair could not be finished.',
    schema: verifyDocument,
  },
  { commands: ['fetch orders'], line: 'One line per order, as the shop lists them.', schema: fetchedOrder },
  {
    commands: ['fetch order'],
    line: 'One line, with exit code 1 where the shop has no such order.',
    schema: fetchedOrderWithLines,
  },
  {
    commands: ['fetch user'],
    line: 'One line; none, and exit code 1, where the shop has no such user.',
    schema: fetchedUser,
  },
  { commands: ['fetch groups'], line: 'One line per group.', schema: fetchedGroup },
  {
    commands: ['status'],
    line: 'One line per shop of the warehouse that is not being deleted; those that need attention come first.',
    schema: statusDocument,
  },
  { commands: ['replay'], line: 'One line per shop of the warehouse.', schema: replayDocument },
  { commands: ['forget'], line: 'One line per shop of the warehouse.', schema: forgetDocument },
  { commands: ['sql'], line: 'One line.', schema: resultDocument },
  { commands: ['sql --views'], line: 'One line per view, by name.', schema: viewDocument },
  { commands: ['export'], line: 'One line.', schema: exportDocument },
  { commands: ['migrate'], line: 'One line.', schema: migrateDocument },
  { commands: ['login-link'], line: 'One line.', schema: loginLinkDocument },
  {
    commands: ['simulate'],
    line: 'One line, as soon as the shop answers: settings that point at it.',
    schema: simulateDocument,
  },
];
