import { z } from 'zod';

import { list, text } from './common.ts';

/** A line of `sql --views`. */
export const viewDocument = z.strictObject({
  view: text('its name, with the schema'),
  comment: text('what it holds'),
  columns: list(
    z.strictObject({
      name: text('name of the column'),
      type: text('its type in PostgreSQL'),
      comment: text('what it says, and when it is NULL'),
    }),
    'its columns, in their order',
  ),
});
export type ViewDocument = z.infer<typeof viewDocument>;
