import { UsageError } from '../model/errors.ts';

type Named = { readonly shopKey: string };
/** Where the shops are that one chooses from. */
type Place = 'the settings have' | 'the warehouse has';

/** All shops, or the one of `--shop`. @throws UsageError when there is no such shop */
export function chooseShops<Shop extends Named>(
  shops: readonly Shop[],
  place: Place,
  wanted: string | undefined,
): readonly Shop[] {
  if (wanted === undefined) return shops;
  const found = shops.filter(({ shopKey }) => shopKey === wanted);
  if (found.length > 0) return found;
  throw new UsageError(`there is no shop ${wanted}: ${place} ${keysOf(shops)}`);
}

/** The only shop, or the one of `--shop`. @throws UsageError when there is not just one */
export function chooseShop<Shop extends Named>(
  shops: readonly Shop[],
  place: Place,
  wanted: string | undefined,
): Shop {
  const [shop, ...others] = chooseShops(shops, place, wanted);
  if (shop !== undefined && others.length === 0) return shop;
  throw new UsageError(`--shop KEY is needed to choose one; ${place} ${keysOf(shops)}`);
}

const keysOf = (shops: readonly Named[]) => shops.map(({ shopKey }) => shopKey).join(', ') || 'none yet';
