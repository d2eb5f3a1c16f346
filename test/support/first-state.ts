import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/days/freshness.ts';
import { firstState } from '../../src/sync/run/shop-state.ts';

/** What the state of a shop with the usual settings begins with. */
export const FIRST_STATE = firstState({ freshness: parseFreshness(DEFAULT_FRESHNESS) });
