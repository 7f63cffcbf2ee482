import type { PackedHead, Signer, SiteLeaf, SiteProof } from '#evidence';
import { bytesOfLines, forged, linesOf, textOf } from './forged.js';
import type { Mutant } from './mutants.js';
import { sampleSite } from './sample-packages.js';
import type { PackageFiles } from './site-package.js';

const LEAVES = 'data/site/leaves.ndjson';
const PROOF = 'data/site/proof.json';
const ALTERED = ['ALTERED'];

/**
 * Yields seals dropped, doubled, swapped, and put in the place of others, heads of tables made
 * smaller, and key statements left out. The exports key signed each again.
 */
export function* sealMutants(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  yield* changedSeals(files, exportsKey);
  yield* smallerHeads(files, exportsKey);
  const proof = JSON.parse(textOf(files, PROOF)) as SiteProof;
  for (const [i, { index }] of proof.keys.entries())
    yield {
      name: `key statement ${index} left out`,
      files: forged(
        new Map(files).set(
          PROOF,
          bytesOfLines([JSON.stringify({ ...proof, keys: proof.keys.toSpliced(i, 1) })]),
        ),
        exportsKey,
      ),
      expected: { verdicts: ALTERED },
    };
}

function* changedSeals(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  const lines = linesOf(files, LEAVES);
  const leaves = lines.map((line) => JSON.parse(line) as SiteLeaf);
  const others = { stranger: sampleSite({ seed: 50 }), rewritten: sampleSite({ forkAt: 3 }) };
  for (const [i, { index, text }] of leaves.entries()) {
    const changed = (what: string, mended: readonly SiteLeaf[]): Mutant => ({
      name: `leaf ${index} ${what}`,
      files: forged(
        new Map(files).set(LEAVES, bytesOfLines(mended.map((leaf) => JSON.stringify(leaf)))),
        exportsKey,
      ),
      expected: { verdicts: ALTERED },
    });
    yield changed('dropped', leaves.toSpliced(i, 1));
    yield changed('dropped, and the rest numbered again', numbered(leaves.toSpliced(i, 1)));
    yield changed('doubled', leaves.toSpliced(i, 0, { index, text }));
    const next = leaves[i + 1];
    if (next) yield changed('swapped with the next', leaves.toSpliced(i, 2, next, { index, text }));
    if (next) yield changed('in place of the next', leaves.with(i, { index, text: next.text }));
    for (const [whose, site] of Object.entries(others)) {
      const other = site.leaves[index];
      if (other !== undefined && other !== text)
        yield changed(`of the ${whose} site`, leaves.with(i, { index, text: other }));
    }
  }
}

const numbered = (leaves: readonly SiteLeaf[]): SiteLeaf[] =>
  leaves.map(({ text }, i) => ({ index: (leaves[0]?.index ?? 0) + i, text }));

/** Yields the head at each seal in place of the head at the next, with its size, root and path. */
function* smallerHeads(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  for (const path of files.keys()) {
    if (!path.endsWith('/heads.ndjson')) continue;
    const heads = linesOf(files, path).map((line) => JSON.parse(line) as PackedHead);
    for (const [i, head] of heads.entries()) {
      const next = heads[i + 1];
      if (!next || next.size === head.size) continue;
      const smaller = { ...head, seal: next.seal };
      const lines = heads.with(i + 1, smaller).map((each) => JSON.stringify(each));
      yield {
        name: `${path} with the head at seal ${head.seal} in place of that at ${next.seal}`,
        files: forged(new Map(files).set(path, bytesOfLines(lines)), exportsKey),
        expected: { verdicts: ALTERED },
      };
    }
  }
}
