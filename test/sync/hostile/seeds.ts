/**
 * The lives that every run of the tests lives through. HOSTILE_SEED=1 HOSTILE_RUNS=200 with a fault in the program shows which
 * lives notice it; who changes how lives are made chooses anew.
 */
export const SEEDS: readonly number[] = Array.from({ length: 33 }, (_, index) => index + 1);
