/** Faults that would keep a person who is to be forgotten, erase somebody else, or show a person. */
import type { Fault } from './fault.ts';

const ERASED = 'A forgotten person is still found somewhere.';
const OTHERS = 'Forgetting erases somebody else.';
const NOT_STORED = 'A person is stored although PII_MODE=pseudonymize is set.';
const SHOWN = 'Personal data is logged or shown in an error.';

export const FAULTS: readonly Fault[] = [
  {
    promise: 'Nothing leaks.',
    about: ERASED,
    file: 'src/normalize/privacy/privacy.ts',
    find: 'areInAny([buyer_email, buyer_phone])',
    replace: 'areInAny([buyer_email])',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: ERASED,
    file: 'src/normalize/privacy/identifiers.ts',
    find: "|| (value.length === 11 && value.startsWith('7'))",
    replace: '',
    tests: ['test/normalize/privacy/privacy.test'],
  },
  {
    promise: 'Nothing leaks.',
    about: ERASED,
    file: 'src/normalize/privacy/scrub-records.ts',
    find: 'if (isPersonal(key)) return [];',
    replace: '',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: NOT_STORED,
    file: 'src/normalize/privacy/scrub-records.ts',
    find: 'const kept = hideMentions(value, scrubbing.isPersonal);',
    replace: 'const kept = value;',
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: NOT_STORED,
    file: 'src/normalize/privacy/names-person.ts',
    find: "read('fio', 'name', 'org_name')",
    replace: "read('fio', 'name')",
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: NOT_STORED,
    file: 'src/normalize/privacy/form-fields.ts',
    find: "typeof text === 'string' && isKept(key, part, text)",
    replace: "typeof text !== 'string' || isKept(key, part, text)",
    tests: ['test/normalize/privacy-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: ERASED,
    file: 'src/warehouse/orders/find-person.ts',
    find: 'OR ${matches(sql`login`, sql`login`, search)}',
    replace: '',
    tests: ['test/sync/forget/whose-records', 'test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: 'Nothing leaks.',
    about: OTHERS,
    file: 'src/normalize/privacy/same-person.ts',
    find: '(!isKnown || matching.length === orders.length)',
    replace: 'true',
    tests: ['test/sync/forget/whose-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: OTHERS,
    file: 'src/normalize/privacy/same-person.ts',
    find: 'emails.length > 0 && !emails.some((email) => own.has(identifierKey(email)))',
    replace: 'false',
    tests: ['test/sync/forget/whose-records'],
  },
  {
    promise: 'Nothing leaks.',
    about: 'An interrupted erasure is not completed.',
    file: 'src/sync/privacy/scrub-stored.ts',
    find: 'left?.stage === stage ? left.after : undefined',
    replace: 'left?.after',
    tests: ['test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: 'Nothing leaks.',
    about: NOT_STORED,
    file: 'src/sync/privacy/scrub-stored.ts',
    find: 'state.scrub.position?.target === target ? state.scrub.position : undefined',
    replace: 'state.scrub.position',
    tests: ['test/sync/privacy/interrupted-erasure'],
  },
  {
    promise: 'Nothing leaks.',
    about: SHOWN,
    file: 'src/sync/run/run-shop.ts',
    find: ': error.name;',
    replace: ': error.message;',
    tests: ['test/worker/unknown-errors'],
  },
  {
    promise: 'Nothing leaks.',
    about: SHOWN,
    file: 'src/worker/given-up.ts',
    find: "error instanceof Error ? error.name : 'unknown error'",
    replace: "error instanceof Error ? error.message : 'unknown error'",
    tests: ['test/worker/unknown-errors'],
  },
  {
    promise: 'Nothing leaks.',
    about: 'Payloads are kept longer than RAW_KEPT says.',
    file: 'src/sync/sweep/prune-old.ts',
    find: 'every((rows) => rows < MAX_PAYLOADS)',
    replace: 'some((rows) => rows < MAX_PAYLOADS)',
    tests: ['test/sync/privacy/raw-kept'],
  },
];
