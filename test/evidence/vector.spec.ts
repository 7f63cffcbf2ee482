import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  bytesOfHex,
  checkpointText,
  consistencyProof,
  cosignedMessage,
  entriesBundle,
  exportsKeyName,
  Frontier,
  headText,
  hexOf,
  inclusionProof,
  KEY_TYPES,
  keyFileText,
  keyId,
  KeyRing,
  keyStatementText,
  leafHash,
  nameOfTable,
  namesText,
  noteText,
  readCheckpoint,
  readEntriesBundle,
  readHead,
  readNames,
  readNote,
  readSeal,
  readVkey,
  rootOf,
  sealText,
  signaturesOf,
  signText,
  subtreesOf,
  tableOfName,
  utf8Of,
  vkeyText,
  hashOf,
  verifyConsistency,
  verifyInclusion,
  type NodeRef,
  type Signer,
} from '#evidence';
import { nodeCryptography, signerOf } from '#evidence/node';

interface Proof {
  readonly index?: number;
  readonly size?: number;
  readonly from?: number;
  readonly to?: number;
  readonly proof: readonly string[];
}

interface Vector {
  readonly origin: string;
  readonly seeds: Readonly<Record<'log' | 'witness' | 'exports', string>>;
  readonly keys: Readonly<Record<'log' | 'witness' | 'exports', string>>;
  readonly tables: readonly {
    readonly table: string;
    readonly name: string;
    readonly records: readonly string[];
    readonly leaves: readonly string[];
    readonly rootsBySize: readonly string[];
    readonly frontiers?: readonly (readonly string[])[];
    readonly inclusion?: readonly Required<Proof>[];
    readonly consistency?: readonly Required<Proof>[];
  }[];
  readonly seals: readonly {
    readonly number: number;
    readonly text: string;
    readonly names: string;
    readonly heads: readonly string[];
    readonly paths: readonly (readonly string[])[];
  }[];
  readonly site: {
    readonly leaves: readonly string[];
    readonly hashes: readonly string[];
    readonly consistency: Required<Proof>;
    readonly inclusion: Required<Proof>;
  };
  readonly checkpoints: Readonly<Record<'2' | '3' | '3 cosigned', string>>;
}

// The example of the design: agreed on by Python's hashlib, Go's sumdb, transparency-dev and node.
const vector: Vector = JSON.parse(readFileSync('test/fixtures/evidence-vector.json', 'utf8'));
const { origin } = vector;
const { sha256, verifyEd25519 } = nodeCryptography;
const siteLeaves = vector.site.leaves.map((leaf) => leafHash(sha256, utf8Of(leaf)));

/** A signer from the 32 bytes of its private key. */
function signerFrom(name: string, seed: string): Signer {
  const bytes = bytesOfHex(seed) ?? new Uint8Array(0);
  const spoiled = keyFileText({ name, id: '00000000', seed: bytes });
  const vkey = Object.values(vector.keys).find((key) => key.startsWith(`${name}+`)) ?? '';
  expect(() => signerOf(spoiled)).toThrow('"00000000" is not the id of this key');
  return signerOf(keyFileText({ name, id: vkey.split('+')[1] ?? '', seed: bytes }));
}

function nodesOf(leaves: readonly Uint8Array[]) {
  return (nodes: readonly NodeRef[]): Uint8Array[] =>
    nodes.map(({ level, index }) =>
      rootOf(sha256, leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    );
}

describe.each(vector.tables)('the tree of table $table in the example', (table) => {
  const leaves = table.records.map((record) => leafHash(sha256, utf8Of(record)));

  it('has its leaves, roots and frontiers', () => {
    expect(leaves.map(hexOf)).toEqual(table.leaves);
    const frontier = new Frontier(sha256);
    table.rootsBySize.forEach((root, size) => {
      expect(hexOf(frontier.root())).toBe(root);
      if (table.frontiers !== undefined) {
        expect(frontier.hashes.map(hexOf)).toEqual(table.frontiers[size]);
      }
      const leaf = leaves[size];
      if (leaf !== undefined) frontier.append(leaf);
    });
  });

  it('has its proofs', async () => {
    const root = rootOf(sha256, leaves);
    for (const { index, size, proof } of table.inclusion ?? []) {
      const made = await inclusionProof(sha256, { index, size }, nodesOf(leaves));
      expect(made.map(hexOf)).toEqual(proof);
      const leaf = leaves[index] ?? new Uint8Array(0);
      expect(verifyInclusion(sha256, { index, size, leaf, root }, made)).toBe(true);
    }
    for (const { from, to, proof } of table.consistency ?? []) {
      const made = await consistencyProof(sha256, { from, to }, nodesOf(leaves));
      expect(made.map(hexOf)).toEqual(proof);
      const fromRoot = rootOf(sha256, leaves.slice(0, from));
      expect(verifyConsistency(sha256, { from, to, fromRoot, toRoot: root }, made)).toBe(true);
    }
  });

  it('has its name', () => {
    expect(nameOfTable(table.table)).toBe(table.name);
    expect(tableOfName(table.name)).toBe(table.table);
  });
});

describe('the site log in the example', () => {
  it('has its heads, names and seals, written and read', () => {
    for (const { text, names, heads, number } of vector.seals) {
      const seal = readSeal(text);
      expect(sealText(seal)).toBe(text);
      expect(seal.number).toBe(number);
      const list = readNames(names);
      expect(list).toEqual(vector.tables.map(({ table }) => nameOfTable(table)));
      expect(namesText(list)).toBe(names);
      expect(hexOf(sha256(utf8Of(names)))).toBe(hexOf(seal.names));
      heads.forEach((head, at) => {
        const { name, size, root } = readHead(head);
        expect(headText({ origin, name, size, root })).toBe(head);
        expect(hexOf(root)).toBe(vector.tables[at]?.rootsBySize[size]);
      });
      const sizes = heads.map((head) => readHead(head).size);
      expect(sum(sizes)).toBe(sum(seal.next));
      expect(seal.tables).toBe(heads.length);
      const root = rootOf(
        sha256,
        heads.map((head) => leafHash(sha256, utf8Of(head))),
      );
      expect(hexOf(root)).toBe(hexOf(seal.heads));
    }
  });

  it('has the paths of its heads', async () => {
    for (const { heads, paths } of vector.seals) {
      const leaves = heads.map((head) => leafHash(sha256, utf8Of(head)));
      for (const [index, path] of paths.entries()) {
        const made = await inclusionProof(sha256, { index, size: heads.length }, nodesOf(leaves));
        expect(made.map(hexOf)).toEqual(path);
      }
    }
  });

  it('has its leaves, proofs and bundle of entries', async () => {
    expect(siteLeaves.map(hexOf)).toEqual(vector.site.hashes);
    const { consistency, inclusion } = vector.site;
    const growth = await consistencyProof(sha256, consistency, nodesOf(siteLeaves));
    expect(growth.map(hexOf)).toEqual(consistency.proof);
    const place = await inclusionProof(sha256, inclusion, nodesOf(siteLeaves));
    expect(place.map(hexOf)).toEqual(inclusion.proof);
    const entries = vector.site.leaves.map(utf8Of);
    expect(readEntriesBundle(entriesBundle(entries)).map(hexOf)).toEqual(entries.map(hexOf));
  });

  it('has the key statement, signed by the key that it adds', () => {
    const note = readNote(vector.site.leaves[0] ?? '');
    const [log, exports] = [vector.keys.log, vector.keys.exports].map((k) => readVkey(sha256, k));
    if (log === undefined || exports === undefined) throw new Error('the vector has no keys');
    const text = keyStatementText({
      origin,
      number: 0,
      previous: undefined,
      add: [log, exports],
      retire: [],
      revoke: [],
    });
    expect(note.text).toBe(text);
    const signer = signerFrom(origin, vector.seeds.log);
    expect(noteText({ text, signatures: [signText(sha256, text, signer)] })).toBe(
      vector.site.leaves[0],
    );
    const ring = KeyRing.of(nodeCryptography, [note]);
    expect(ring.logKeysAt(3).map(vkeyText)).toEqual([vector.keys.log]);
    expect(ring.exportsKeysAt(3).map(vkeyText)).toEqual([vector.keys.exports]);
    expect(ring.logKeysAt(0)).toEqual([]);
  });

  it('has its checkpoints, signed and cosigned', () => {
    const signer = signerFrom(origin, vector.seeds.log);
    for (const size of [2, 3] as const) {
      const root = rootOf(sha256, siteLeaves.slice(0, size));
      const text = checkpointText({ origin, size, root });
      const note = { text, signatures: [signText(sha256, text, signer)] };
      expect(noteText(note)).toBe(vector.checkpoints[`${size}`]);
    }
    const { note, size, root } = readCheckpoint(utf8Of(vector.checkpoints['3 cosigned']));
    expect({ size, root: hexOf(root) }).toEqual({
      size: 3,
      root: hexOf(rootOf(sha256, siteLeaves)),
    });
    const keys = [vector.keys.log, vector.keys.witness].map((key) => readVkey(sha256, key));
    const signatures = signaturesOf(nodeCryptography, note, keys);
    expect(signatures.map(({ good, time }) => ({ good, time }))).toEqual([
      { good: true, time: undefined },
      { good: true, time: 1_795_176_066 },
    ]);
    expect(noteText(note)).toBe(vector.checkpoints['3 cosigned']);
  });

  it('has the cosignature that the witness makes from its seed', () => {
    const name = vector.keys.witness.split('+')[0] ?? '';
    const seed = bytesOfHex(vector.seeds.witness) ?? new Uint8Array(0);
    const witness = readVkey(sha256, vector.keys.witness);
    const id = keyId(sha256, { ...witness, type: 'note' });
    const signer = signerOf(keyFileText({ name, id, seed }));
    const { note } = readCheckpoint(utf8Of(vector.checkpoints['3 cosigned']));
    const made = signer.sign(utf8Of(cosignedMessage(note.text, 1_795_176_066)));
    expect(hexOf(made)).toBe(hexOf(note.signatures[1]?.signature.subarray(8) ?? new Uint8Array(0)));
  });

  it('has the exports key that signs packages', () => {
    const signer = signerFrom(exportsKeyName(origin), vector.seeds.exports);
    expect(signer.vkey).toBe(vector.keys.exports);
    expect(KEY_TYPES[readVkey(sha256, signer.vkey).type]).toBe(1);
  });
});

// RFC 8032 section 7.1: secret key, public key, message, signature.
const RFC_8032 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe('Ed25519', () => {
  it.each(RFC_8032)('signs and verifies the example of RFC 8032 with key %s', (...example) => {
    const [seed, publicKey, message, signature] = example.map((t) => bytesOfHex(t));
    if (seed === undefined || publicKey === undefined) throw new Error('no key');
    if (message === undefined || signature === undefined) throw new Error('no message');
    const id = keyId(sha256, { name: 'rfc', type: 'note', publicKey });
    const signer = signerOf(keyFileText({ name: 'rfc', id, seed }));
    expect(hexOf(readVkey(sha256, signer.vkey).publicKey)).toBe(hexOf(publicKey));
    expect(hexOf(signer.sign(message))).toBe(hexOf(signature));
    expect(verifyEd25519(publicKey, message, signature)).toBe(true);
    expect(verifyEd25519(publicKey, Uint8Array.of(1), signature)).toBe(false);
  });

  it('refuses a signature whose s is not below the order of the group', () => {
    const [, publicKey, message, signature] = RFC_8032[1].map((text) => bytesOfHex(text));
    if (publicKey === undefined || message === undefined || signature === undefined) return;
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = order;
    signature.subarray(32).forEach((byte, at) => (s += BigInt(byte) << BigInt(8 * at)));
    const raised = Uint8Array.from(signature);
    for (let at = 0; at < 32; at += 1) raised[32 + at] = Number((s >> BigInt(8 * at)) & 255n);
    expect(verifyEd25519(publicKey, message, raised)).toBe(false);
  });
});

describe('notes of C2SP', () => {
  const example = [
    'example.com/behind-the-sofa',
    '20852163',
    'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
    '',
    '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=',
    '— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==',
    '',
  ].join('\n');

  it('reads the example of tlog-cosignature', () => {
    const { origin: log, size, root, note } = readCheckpoint(utf8Of(example));
    expect({ log, size }).toEqual({ log: 'example.com/behind-the-sofa', size: 20_852_163 });
    expect(root).toEqual(hashOf('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='));
    expect(note.signatures.map(({ name, id }) => `${name}+${id}`)).toEqual([
      'example.com/behind-the-sofa+033de0ae',
      'witness.example.com/w1+8d66cf3f',
    ]);
    expect(noteText(note)).toBe(example);
  });

  it('reads a text with empty lines, which ends at the last of them', () => {
    const poem =
      'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\n' +
      'ed è subito sera.\n\n' +
      '— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n';
    const note = readNote(poem);
    expect(note.text.endsWith('\n\ned è subito sera.\n')).toBe(true);
    expect(note.signatures).toHaveLength(1);
    expect(noteText(note)).toBe(poem);
  });

  it('has frontiers that say all that growing needs', () => {
    expect(subtreesOf(0, 7)).toEqual([
      { level: 2, index: 0 },
      { level: 1, index: 2 },
      { level: 0, index: 6 },
    ]);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
