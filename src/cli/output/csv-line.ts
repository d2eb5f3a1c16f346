/** A line of CSV as of RFC 4180. NULL is empty, an empty text is `""`, as in PostgreSQL's own CSV. */
export const csvLine = (values: readonly (string | null)[]) => `${values.map(csvValue).join(',')}\n`;

function csvValue(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
