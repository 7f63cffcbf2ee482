import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * A character of any code point but half a surrogate pair, for `fc.string`. What fast-check calls
 * `binary` is the same, and takes two seconds of the processor at its first use in a file.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES));
