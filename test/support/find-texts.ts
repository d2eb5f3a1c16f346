/** Of thousands of texts those that a long one holds: looked up at each place by how they begin, not sought one by one. */

const PREFIX = 3;

/** @param sought of any length but 0; @returns them in the order given */
export function findTexts(sought: readonly string[], within: string): readonly string[] {
  const found = new Set(sought.filter((text) => text.length < PREFIX && within.includes(text)));
  const byPrefix = Map.groupBy(new Set(sought.filter((text) => text.length >= PREFIX)), (text) =>
    prefixAt(text, 0),
  );
  for (let at = 0; at + PREFIX <= within.length; at++) {
    for (const text of byPrefix.get(prefixAt(within, at)) ?? []) {
      if (within.startsWith(text, at)) found.add(text);
    }
  }
  return sought.filter((text) => found.has(text));
}

/** A small integer, the same for the same characters: a `slice` would take several times as long. */
function prefixAt(text: string, at: number): number {
  return ((text.charCodeAt(at) * 131 + text.charCodeAt(at + 1)) * 131 + text.charCodeAt(at + 2)) & 0xff_ffff;
}
