/** Decimal numbers as text, exact: as the normalizers and the database write amounts and quantities. */

/** A count of 10^-scale with that many decimals: 123450n -> `1234.50` */
export function decimalText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  const decimals = scale === 0 ? '' : `.${digits.slice(point)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${decimals}`;
}

/** `1234.50` -> 123450n. Of texts that have the same number of decimals, or are `0`. */
export const decimalUnits = (text: string) => BigInt(text.replace('.', ''));
