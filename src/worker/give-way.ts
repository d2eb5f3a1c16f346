/** A sweep that has lasted this long gives way to others. */
const SHARE_MS = 20_000;
const POLL_MS = 5_000;

/** Tells a long sweep when to leave its slot to those that wait. */
export type GiveWay = Disposable & { readonly mustEnd: () => boolean };

/** @param hasWaiting whether another sweep waits; a failure counts as no */
export function watchWaiting(hasWaiting: () => Promise<boolean>, shareMs = SHARE_MS): GiveWay {
  let mustEnd = false;
  const look = async () => {
    mustEnd ||= await hasWaiting().catch(() => false);
    if (mustEnd) clearInterval(polling);
  };
  let polling: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    polling = setInterval(() => void look(), POLL_MS);
    void look();
  }, shareMs);
  return {
    mustEnd: () => mustEnd,
    [Symbol.dispose]() {
      clearTimeout(first);
      clearInterval(polling);
    },
  };
}
