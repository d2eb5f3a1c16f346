/** Faults that would keep a person who is to be forgotten, erase somebody else, or show a person. */
import type { Fault } from './fault.ts';

const ERASED = 'a person who is forgotten is found nowhere any more';
const OTHERS = 'forget erases nobody else';
const NOT_STORED = 'with PII_MODE=pseudonymize no person is stored';
const SHOWN = 'no personal data is logged or shown in an error';

export const FAULTS: readonly Fault[] = [
  {
    promise: ERASED,
    file: 'src/normalize/privacy/privacy.ts',
    find: 'areInAny([buyer_email, buyer_phone])',
    replace: 'areInAny([buyer_email])',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: ERASED,
    file: 'src/normalize/privacy/identifiers.ts',
    find: "|| (value.length === 11 && value.startsWith('7'))",
    replace: '',
    tests: ['test/normalize/privacy.test'],
  },
  {
    promise: ERASED,
    file: 'src/normalize/privacy/scrub-records.ts',
    find: 'if (isPersonal(key)) return [];',
    replace: '',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: NOT_STORED,
    file: 'src/normalize/privacy/scrub-records.ts',
    find: 'const kept = hideMentions(value, scrubbing.isPersonal);',
    replace: 'const kept = value;',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: NOT_STORED,
    file: 'src/normalize/privacy/names-person.ts',
    find: "read('fio', 'name', 'org_name')",
    replace: "read('fio', 'name')",
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: NOT_STORED,
    file: 'src/normalize/privacy/form-fields.ts',
    find: "typeof text === 'string' && isKept(key, part, text)",
    replace: "typeof text !== 'string' || isKept(key, part, text)",
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: ERASED,
    file: 'src/warehouse/orders/find-person.ts',
    find: 'OR ${matches(sql`login`, sql`login`, search)}',
    replace: '',
    tests: ['test/sync/forget/whose-records', 'test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: OTHERS,
    file: 'src/normalize/privacy/same-person.ts',
    find: '(!isKnown || matching.length === orders.length)',
    replace: 'true',
    tests: ['test/sync/forget/whose-records'],
  },
  {
    promise: OTHERS,
    file: 'src/normalize/privacy/same-person.ts',
    find: 'emails.length > 0 && !emails.some((email) => own.has(identifierKey(email)))',
    replace: 'false',
    tests: ['test/sync/forget/whose-records'],
  },
  {
    promise: 'an erasure that is interrupted is completed by the next run',
    file: 'src/sync/privacy/scrub-stored.ts',
    find: 'left?.stage === stage ? left.after : undefined',
    replace: 'left?.after',
    tests: ['test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: NOT_STORED,
    file: 'src/sync/privacy/scrub-stored.ts',
    find: 'state.scrub.position?.target === target ? state.scrub.position : undefined',
    replace: 'state.scrub.position',
    tests: ['test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: SHOWN,
    file: 'src/sync/run/run-shop.ts',
    find: ': error.name;',
    replace: ': error.message;',
    tests: ['test/worker/unknown-errors'],
  },
  {
    promise: SHOWN,
    file: 'src/worker/given-up.ts',
    find: "error instanceof Error ? error.name : 'unknown error'",
    replace: "error instanceof Error ? error.message : 'unknown error'",
    tests: ['test/worker/unknown-errors'],
  },
  {
    promise: 'RAW_KEPT says how long payloads are kept',
    file: 'src/sync/sweep/prune-old.ts',
    find: 'every((rows) => rows < MAX_PAYLOADS)',
    replace: 'some((rows) => rows < MAX_PAYLOADS)',
    tests: ['test/sync/privacy/raw-kept'],
  },
];
