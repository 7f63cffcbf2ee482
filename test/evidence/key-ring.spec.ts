import { describe, expect, it } from '@jest/globals';
import {
  exportsKeyName,
  KeyFault,
  KeyRing,
  type KeyStatement,
  keyStatementText,
  type Note,
  readVkey,
  type Signer,
  signText,
  vkeyText,
} from '#evidence';
import { newKeyFile, nodeCryptography, signerOf } from '#evidence/node';

const { sha256 } = nodeCryptography;
const origin = 'shoeprint.example/harbour';
const [first, safe, second, stranger] = [1, 2, 3, 4].map(() => signerOf(newKeyFile(origin)));
const exports = signerOf(newKeyFile(exportsKeyName(origin)));
if (!first || !safe || !second || !stranger) throw new Error('no keys were made');

const keyOf = (signer: Signer) => readVkey(sha256, signer.vkey);

function statement(
  number: number,
  change: Partial<KeyStatement>,
  signers: readonly Signer[],
): Note {
  const text = keyStatementText({
    origin,
    number,
    previous: number === 0 ? undefined : 0,
    add: [],
    retire: [],
    revoke: [],
    ...change,
  });
  return { text, signatures: signers.map((signer) => signText(sha256, text, signer)) };
}

const begin = statement(0, { add: [first, safe, exports].map(keyOf) }, [first, safe]);
const ringOf = (...notes: Note[]): KeyRing => KeyRing.of(nodeCryptography, notes);
const logKeys = (ring: KeyRing, size: number): string[] => ring.logKeysAt(size).map(vkeyText);

function faultOf(...notes: Note[]): string {
  try {
    ringOf(...notes);
  } catch (error) {
    if (error instanceof KeyFault) return error.message;
    throw error;
  }
  return 'none';
}

describe('the keys of a site', () => {
  it('sign from the leaf that adds them on', () => {
    const ring = ringOf(begin);
    expect(logKeys(ring, 1)).toEqual([first.vkey, safe.vkey]);
    expect(ring.exportsKeysAt(1).map(vkeyText)).toEqual([exports.vkey]);
    expect(logKeys(ring, 0)).toEqual([]);
  });

  it('change by a statement of the old and the new key, both of which sign until the old one is retired', () => {
    const add = statement(10, { add: [keyOf(second)] }, [first, second]);
    const retire = statement(20, { previous: 10, retire: [keyOf(first)] }, [first]);
    const ring = ringOf(begin, add, retire);
    expect(logKeys(ring, 10)).toEqual([first.vkey, safe.vkey]);
    expect(logKeys(ring, 11)).toEqual([first.vkey, safe.vkey, second.vkey]);
    expect(logKeys(ring, 21)).toEqual([first.vkey, safe.vkey, second.vkey]);
    expect(logKeys(ring, 22)).toEqual([safe.vkey, second.vkey]);
  });

  it('lose their word from the size on at which the key in the safe revokes them', () => {
    const theft = statement(30, { revoke: [{ key: keyOf(first), size: 12 }] }, [safe]);
    const ring = ringOf(begin, theft);
    expect(logKeys(ring, 11)).toEqual([first.vkey, safe.vkey]);
    expect(logKeys(ring, 12)).toEqual([safe.vkey]);
  });

  it('do not count if a revoked key alone brought them in', () => {
    const thief = statement(15, { add: [keyOf(second)], revoke: [] }, [first, second]);
    const honest = statement(30, { previous: 15, revoke: [{ key: keyOf(first), size: 12 }] }, [
      safe,
    ]);
    expect(logKeys(ringOf(begin, thief), 40)).toContain(second.vkey);
    const ring = ringOf(begin, thief, honest);
    expect(logKeys(ring, 40)).toEqual([safe.vkey]);
    expect(ring.skipped).toEqual([15]);
  });

  it('are not ended by a thief whom the key in the safe revokes from before', () => {
    const add = statement(10, { add: [keyOf(second)] }, [first, second]);
    const honest = { revoke: [{ key: keyOf(first), size: 12 }] };
    const ring = ringOf(
      begin,
      add,
      statement(15, { previous: 10, revoke: [{ key: keyOf(second), size: 1 }] }, [first]),
      statement(30, { previous: 15, ...honest }, [safe]),
    );
    expect(logKeys(ring, 40)).toEqual([safe.vkey, second.vkey]);
    expect(ring.skipped).toEqual([15]);
  });

  it('do not revoke their own past', () => {
    const own = statement(20, { revoke: [{ key: keyOf(first), size: 5 }] }, [first]);
    expect(logKeys(ringOf(begin, own), 10)).toEqual([first.vkey, safe.vkey]);
    const later = statement(20, { revoke: [{ key: keyOf(first), size: 25 }] }, [first]);
    expect(logKeys(ringOf(begin, later), 25)).toEqual([safe.vkey]);
  });

  it('cannot end the key in the safe by any other signature than its own', () => {
    const retire = statement(5, { retire: [keyOf(safe)] }, [first]);
    const revoke = statement(5, { revoke: [{ key: keyOf(safe), size: 1 }] }, [first]);
    expect(logKeys(ringOf(begin, retire), 9)).toContain(safe.vkey);
    expect(logKeys(ringOf(begin, revoke), 9)).toContain(safe.vkey);
    const own = statement(5, { retire: [keyOf(safe)] }, [safe]);
    expect(logKeys(ringOf(begin, own), 9)).toEqual([first.vkey]);
  });

  it('are refused where a statement is missing, unsigned or of another site', () => {
    expect(faultOf()).toBe('key statement 0: is missing');
    const unsigned = statement(0, { add: [first, safe].map(keyOf) }, [first]);
    expect(faultOf(unsigned)).toContain('which it adds, did not sign it');
    const late = statement(10, { previous: 4, add: [keyOf(second)] }, [first, second]);
    expect(faultOf(begin, late)).toBe('key statement 10: names 4 before it, not 0');
    const strange = statement(10, { add: [keyOf(stranger)] }, [stranger]);
    expect(faultOf(begin, strange)).toBe(
      'key statement 10: no log key that was valid before it signed it',
    );
    const byExports = statement(10, { retire: [keyOf(first)] }, [exports]);
    expect(faultOf(begin, byExports)).toContain('no log key that was valid before it');
    const [signature] = statement(11, {}, [first]).signatures;
    const spoiled = { ...statement(10, { retire: [keyOf(first)] }, []), signatures: [] as never[] };
    const wrong = { ...spoiled, signatures: signature === undefined ? [] : [signature] };
    expect(faultOf(begin, wrong)).toContain('is not good');
    const twice = statement(10, { add: [keyOf(first)] }, [first]);
    expect(faultOf(begin, twice)).toContain('for the second time');
    const unknown = statement(10, { retire: [keyOf(stranger)] }, [first]);
    expect(faultOf(begin, unknown)).toContain('which was never added');
    const retired = statement(20, { previous: 10, retire: [keyOf(second)] }, [first]);
    const before = statement(10, { retire: [keyOf(first)] }, [first]);
    expect(faultOf(begin, before, retired)).toContain('no log key that was valid before it');
  });
});
