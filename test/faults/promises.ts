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
  'Shops are kept apart.',
  'Figures are those of the shop.',
  'It says how it is doing.',
  'Nothing leaks.',
] as const;
