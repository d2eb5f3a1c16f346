import { askAgain } from '../../plan/counts/facet-trust.ts';
import type { Audit } from '../../plan/days/audit-due.ts';
import type { ShopState } from './shop-state.ts';

/** Records that the list was read without dates. What was learned of the shop's counts is not believed any longer than that. */
export function recordAudit(state: Pick<ShopState, 'audit' | 'facetDoubts'>, audit: Audit): void {
  state.audit = audit;
  state.facetDoubts = askAgain(state.facetDoubts, audit.finishedAt);
}
