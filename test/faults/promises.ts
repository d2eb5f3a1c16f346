/** The bold sentences of README.md's section "What you can rely on". */
export const PROMISES = [
  'A verified day is exact.',
  'No order is out of reach.',
  'Deletions are found, and never guessed.',
  'Late changes arrive.',
  'It is cheap.',
  'Kill it at any moment.',
  'Bad data costs no order.',
  'An overloaded shop gets room to recover.',
  'Nothing leaks.',
] as const;
