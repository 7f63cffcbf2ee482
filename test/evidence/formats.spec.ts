import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  base64Of,
  bytesOfBase64,
  bytesOfHex,
  checkpointText,
  compareBytes,
  entriesPath,
  faultAfter,
  FormatFault,
  hashText,
  headText,
  hexOf,
  isOrigin,
  keyFileText,
  keyStatementText,
  LINE_BYTES_MAX,
  nameOfTable,
  NOTE_SIGNATURES_MAX,
  noteText,
  readCheckpoint,
  readCheckpointText,
  readEntriesBundle,
  readHead,
  readKeyFile,
  readKeyStatement,
  readNames,
  readNote,
  readReceipt,
  readSeal,
  readTilePath,
  readVkey,
  receiptText,
  type Seal,
  sealText,
  strictText,
  tableOfName,
  tilePath,
  utf8Of,
  vkeyText,
} from '#evidence';
import { newKeyFile, nodeCryptography, signerOf } from '#evidence/node';
import { ANY_CHARACTER } from '../kit/any-character.js';

const { sha256 } = nodeCryptography;
const origin = 'shoeprint.example/harbour';
const root = sha256(new Uint8Array(0));
const key = readVkey(sha256, signerOf(newKeyFile(origin)).vkey);
const seal: Seal = {
  origin,
  number: 7,
  time: '2026-11-20T12:01:04Z',
  log: '5f0c2b1e-8d53-4a07-9a3c-6a1f0e7b2d94',
  next: [5, 0, 12],
  tables: 2,
  names: root,
  heads: root,
  keys: 0,
  day: '2026-11-20',
};

/** What a reader says of a text, in the words of its fault. */
function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof FormatFault) return error.message;
    throw error;
  }
  return 'none';
}

/** Every format: a text of it, and a reader that writes back what it read. */
const formats: readonly { name: string; text: string; again: (text: string) => string }[] = [
  { name: 'a seal', text: sealText(seal), again: (text) => sealText(readSeal(text)) },
  {
    name: 'a head',
    text: headText({ origin, name: nameOfTable('Bàn 1'), size: 3, root }),
    again: (text) => headText(readHead(text)),
  },
  {
    name: 'a checkpoint',
    text: checkpointText({ origin, size: 3, root }),
    again: (text) => checkpointText(readCheckpointText(text)),
  },
  {
    name: 'a key statement',
    text: keyStatementText({
      origin,
      number: 9,
      previous: 0,
      add: [key],
      retire: [key],
      revoke: [{ key, size: 4 }],
    }),
    again: (text) => keyStatementText(readKeyStatement(sha256, text)),
  },
  {
    name: 'a receipt',
    text: receiptText({ origin, package: 'harbour-B07-20261120', tagManifest: root }),
    again: (text) => receiptText(readReceipt(text)),
  },
  {
    name: 'a key file',
    text: newKeyFile(origin),
    again: (text) => keyFileText(readKeyFile(text)),
  },
  {
    name: 'a note',
    text: noteText({
      text: 'one\n\ntwo\n',
      signatures: [{ name: 'a', id: '00112233', signature: root }],
    }),
    again: (text) => noteText(readNote(text)),
  },
  {
    name: 'a list of names',
    text: 'B07\nB%C3%A0n%201\n..\n',
    again: (text) =>
      readNames(text)
        .map((name) => `${name}\n`)
        .join(''),
  },
];

describe.each(formats)('the text of $name', ({ text, again }) => {
  it('is written back as it was read', () => {
    expect(again(text)).toBe(text);
  });

  it('is refused with its line, or written back the same, whatever is changed in it', () => {
    const change = fc.record({
      at: fc.nat(text.length),
      cut: fc.nat(3),
      put: fc.oneof(
        fc.string({ maxLength: 2 }),
        fc.constantFrom('\n', ' ', '0', '+', '=', '\r', '\u2014', '\u00A0', '%', '-'),
      ),
    });
    fc.assert(
      fc.property(change, ({ at, cut, put }) => {
        const changed = text.slice(0, at) + put + text.slice(at + cut);
        const fault = faultOf(() => {
          expect(again(changed)).toBe(changed);
        });
        expect(fault).toMatch(/^none$|^line \d+: \S/);
      }),
      { numRuns: 400 },
    );
  });

  it('is refused if it has no last line feed', () => {
    expect(faultOf(() => again(text.slice(0, -1)))).toMatch(/does not end in a line feed/);
  });
});

describe('a seal', () => {
  const changed = (from: string, to: string): string =>
    faultOf(() => readSeal(sealText(seal).replace(from, to)));

  it.each([
    ['seal v1', 'seal v2', 'line 1: is not "shoeprint seal v1"'],
    [origin, `https://${origin}`, 'line 2: "https://shoeprint.example/harbour" is not an origin'],
    ['\n7\n', '\n07\n', 'line 3: "07" is not a number'],
    ['\n7\n', '\n0\n', 'line 3: is 0: leaf 0 is a key statement'],
    ['\n7\n', '\n9007199254740992\n', 'line 3: "9007199254740992" is not a number'],
    ['2026-11-20T', '2026-11-31T', 'line 4: "2026-11-31T12:01:04Z" is not a time in UTC'],
    ['04Z', '04.5Z', 'line 4: "2026-11-20T12:01:04.5Z" is not a time in UTC'],
    ['log 5', 'log 5 ', 'line 5: is not the id of a log'],
    ['next 5 0', 'next 5  0', 'line 6: "" is not a number'],
    ['next 5', 'next -5', 'line 6: "-5" is not a number'],
    ['tables 2 ', 'tables 2 x ', 'line 7: has more than a count and two hashes'],
    ['=\nkeys', '\nkeys', 'line 7: '],
    ['keys 0', 'keys 7', 'line 8: is not the index of a leaf before leaf 7'],
    ['day 2026-11-20', 'day 2026-02-30', 'line 9: "2026-02-30" is not a day'],
    ['day 2026-11-20', 'Day 2026-11-20', 'line 9: is one line too many'],
  ])('refuses %s changed to %s', (from, to, fault) => {
    expect(changed(from, to)).toContain(fault);
  });

  it('follows another if nothing went back', () => {
    const later = { ...seal, number: 8, next: [5, 1, 12], day: '2026-11-21' };
    expect(faultAfter(seal, later)).toBeUndefined();
    const faults = [
      { origin: 'other.example/x' },
      { number: 7 },
      { time: '2026-11-20T12:01:03Z' },
      { log: 'another' },
      { next: [5, 0] },
      { next: [5, 0, 11] },
      { tables: 1 },
      { day: '2026-11-20' },
    ].map((change) => faultAfter(seal, { ...later, ...change }));
    expect(faults).toEqual([
      'its origin was shoeprint.example/harbour',
      'its number is not above 7',
      'its time is before 2026-11-20T12:01:04Z',
      'its log was 5f0c2b1e-8d53-4a07-9a3c-6a1f0e7b2d94',
      'it has 2 partitions after 3',
      'partition 2 went back from 12',
      'it has fewer tables than 2',
      'its day is not after 2026-11-20',
    ]);
    expect(faultAfter({ ...seal, keys: 3 }, later)).toBe('its latest key statement was 3');
  });
});

describe('the name of a table', () => {
  it('stands for one table, and only in one spelling', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: ANY_CHARACTER }), (table) => {
        const name = nameOfTable(table);
        expect(name).toMatch(/^[A-Za-z0-9\-._~%]+$/);
        expect(tableOfName(name)).toBe(table);
      }),
    );
    for (const name of ['', 'a b', 'b%c3', 'b%C3', '%41', 'B07\n', '%', 'à']) {
      expect(tableOfName(name)).toBeUndefined();
    }
    expect(nameOfTable('..')).toBe('..');
    expect(nameOfTable("a/b*(')!")).toBe('a%2Fb%2A%28%27%29%21');
  });

  it('stands in a list of names once', () => {
    expect(faultOf(() => readNames('B07\nb07\nB07\n'))).toBe(
      'line 3: names a table for the second time',
    );
    expect(faultOf(() => readNames('B07\n\n'))).toBe('line 2: is not the name of a table');
    expect(readNames('')).toEqual([]);
  });
});

describe('a head', () => {
  it('names a table of a site and is never empty', () => {
    expect(faultOf(() => readHead(checkpointText({ origin, size: 3, root })))).toContain(
      'line 1: "shoeprint.example/harbour" does not name a table of a site',
    );
    const empty = headText({ origin, name: 'B07', size: 0, root });
    expect(faultOf(() => readHead(empty))).toContain('line 2: is 0');
  });
});

describe('a note', () => {
  it('has at most 64 signatures and 1 MB', () => {
    const signature = { name: 'a', id: '00112233', signature: root };
    const many = (count: number): string =>
      noteText({ text: 'one\n', signatures: Array.from({ length: count }, () => signature) });
    expect(readNote(many(NOTE_SIGNATURES_MAX)).signatures).toHaveLength(64);
    expect(faultOf(() => readNote(many(65)))).toBe('line 67: is one signature more than 64');
    const long = `${'x'.repeat(60_000)}\n`.repeat(17);
    expect(faultOf(() => readNote(`${long}\n`))).toContain('more than 1000000 bytes');
    expect(faultOf(() => readNote(`${'x'.repeat(LINE_BYTES_MAX + 1)}\n\n`))).toContain(
      'line 1: has',
    );
    expect(faultOf(() => readNote('one\n'))).toContain('without a text and signatures');
    expect(faultOf(() => readCheckpoint(Uint8Array.of(65, 10, 0xff, 10)))).toBe(
      'line 2: is not UTF-8',
    );
    expect(strictText(utf8Of('\uFEFFà'))).toBe('\uFEFFà');
  });
});

describe('a key', () => {
  it('is refused under the id of another, and a private one is never repeated', () => {
    const text = vkeyText(key);
    const other = text.replace(key.id, key.id === '00000000' ? '00000001' : '00000000');
    expect(faultOf(() => readVkey(sha256, other))).toContain('is not the id of this key');
    const file = newKeyFile(origin);
    const secret = file.trimEnd().split('+').slice(4).join('+');
    for (const broken of [file.replace('PRIVATE', 'private'), file.slice(0, 60), `${file}x\n`]) {
      const fault = faultOf(() => signerOf(broken));
      expect(fault).not.toBe('none');
      expect(fault).not.toContain(secret.slice(0, 12));
    }
    expect(isOrigin('shoeprint.local/0c930f44')).toBe(true);
    expect(['', 'a b', 'a+b', 'http://a', 'a\u2003b'].filter(isOrigin)).toEqual([]);
  });
});

describe('the path of a tile', () => {
  it('is read as it was written, and nothing else is one', () => {
    const tiles = fc.record({
      level: fc.nat(63),
      index: fc.nat(Number.MAX_SAFE_INTEGER),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(readTilePath(tilePath(tile))).toEqual(tile);
        const bundle = { index: tile.index, width: tile.width };
        expect(readTilePath(entriesPath(bundle))).toEqual(bundle);
      }),
    );
    const none = ['tile/64/000', 'tile/00/000', 'tile/0/0', 'tile/0/x000/001', 'tile/0/001.p/0'];
    const more = [
      'tile/0/001.p/256',
      'tile/0/../001',
      'tile/entries/',
      '/tile/0/000',
      'tile/-1/000',
    ];
    expect([...none, ...more].filter((path) => readTilePath(path) !== undefined)).toEqual([]);
  });

  it('belongs to a bundle of entries that is whole', () => {
    expect(faultOf(() => readEntriesBundle(Uint8Array.of(0, 3, 1)))).toContain(
      'line 1: is not an entry',
    );
    expect(faultOf(() => readEntriesBundle(Uint8Array.of(0, 0, 0)))).toContain(
      'line 2: is not an entry',
    );
  });
});

describe('bytes in text', () => {
  it('have one spelling in base64 and in hexadecimal digits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(Buffer.from(bytesOfBase64(base64Of(bytes)) ?? [])).toEqual(Buffer.from(bytes));
        expect(Buffer.from(bytesOfHex(hexOf(bytes)) ?? [])).toEqual(Buffer.from(bytes));
      }),
    );
    for (const text of ['A', 'AA', 'AB==', 'AAB=', 'AA=A', 'A A=', 'AAA-', '====']) {
      expect(bytesOfBase64(text)).toBeUndefined();
    }
    expect(bytesOfHex('0')).toBeUndefined();
    expect(bytesOfHex('AB')).toBeUndefined();
    expect(hashText(root)).toHaveLength(44);
    expect([utf8Of('b'), utf8Of('ab'), utf8Of('a')].sort(compareBytes).map(hexOf)).toEqual([
      '61',
      '6162',
      '62',
    ]);
  });
});
