import type { Profile } from '../../model/persons.ts';
import type { Privacy, ReadOrder } from '../../normalize/privacy/privacy.ts';
import type { LinesToLoad } from '../../warehouse/orders/load-lines.ts';

/** An order as it may be stored, as far as its list row tells of its person. */
type Order = Omit<ReadOrder, 'row' | 'rejections' | 'finds'> & {
  readonly row: NonNullable<ReadOrder['row']>;
  readonly lines: LinesToLoad;
};

/** The order without the person of its account. @param profiles by the numbers of accounts */
export function withoutProfile<Given extends Order>(
  privacy: Privacy,
  profiles: ReadonlyMap<string, Profile>,
  order: Given,
): Given {
  const { row, lines, isStripped } = order;
  const profile = row.buyer_oid === null ? undefined : profiles.get(row.buyer_oid);
  if (profile === undefined) return order;
  const clean = lines.kind === 'fetched' ? privacy.linesOf(profile, lines, isStripped) : lines;
  return { ...privacy.orderOf(profile, order), lines: clean };
}
