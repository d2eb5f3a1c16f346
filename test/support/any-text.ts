import * as fc from 'fast-check';

/** Texts of any code points, lone surrogates too. fast-check's own unit `binary` takes a second to be made. */
export const anyText = (constraints: fc.StringConstraints = {}) =>
  fc.string({
    unit: fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point)),
    ...constraints,
  });
