/** Accounts of erased persons have numbers below this one, which no shop uses: the lowest quarter of 64 bits. */
export const ERASED_BELOW = -(2n ** 62n);

/** Stands for a text that is not stored, so that it still counts as one. `bi` shows it as hidden. */
export const ERASED_TEXT = 'erased';
