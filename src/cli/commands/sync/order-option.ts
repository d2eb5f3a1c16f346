import { UsageError } from '../../../errors.ts';
import { parseId } from '../../../normalize/id.ts';

/** @throws UsageError where it is no number of an order */
export function toOrderId(given: string): string {
  const { value } = parseId(given);
  if (value === null) throw new UsageError(`order ${given}: a number is expected, such as 100017`);
  return value;
}
