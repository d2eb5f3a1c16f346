/** A message as a sentence of its own: it begins with a capital and ends with a full stop, unless it does with another mark. */
export function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return /^[a-z]+[ ,:]/.test(ended) ? `${ended.charAt(0).toUpperCase()}${ended.slice(1)}` : ended;
}
