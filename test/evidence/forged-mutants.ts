import type { Signer } from '#evidence';
import { forged } from './forged.js';
import { formMutants, kindOf, type Mutant } from './mutants.js';
import { recordMutants } from './record-mutants.js';
import { sealMutants } from './seal-mutants.js';
import type { PackageFiles } from './site-package.js';

/**
 * The fields that no seal, no signature and no judging covers: one with the exports key can
 * write them, and the page says so.
 */
const UNCOVERED = [
  /^data\/package\.json \/(gamingDays|warnings|unjudged|software|rules|scope\/finding)/,
  /^data\/package\.json \/tables\/\d+\/(shoes)/,
  // One more record of context or of later is the house's choice, and so is one less.
  /^data\/tables\/\d+\/(context|later)\.ndjson line \d+ dropped/,
  // Proofs in another order, or twice, prove the same.
  /^data\/site\/(proof\.json \/consistency in another order|since\.json \/ doubled)/,
  // Which heads a package shows of an earlier checkpoint is the house's choice: a reader who holds
  // that checkpoint says so, and asks for them.
  /^data\/site\/since\.json \/\d+\/tables (empty|without the last)/,
  // The offset of a record can be any between those of its neighbors.
  /^data\/tables\/\d+\/records\.csv line \d+ cell [34] /,
];

/** Yields changes that an exports key can sign, of all that a seal or the judging covers. */
export function* forgedMutants(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  for (const [path, bytes] of files) {
    if (['text', 'note', 'document', 'records'].includes(kindOf(path).is)) continue;
    for (const [what, text] of formMutants(path, Buffer.from(bytes).toString())) {
      const name = `${path} ${what}`;
      if (UNCOVERED.some((each) => each.test(name))) continue;
      yield {
        name: `${name}, signed again`,
        files: forged(new Map(files).set(path, Buffer.from(text)), exportsKey),
        expected: { verdicts: ['ALTERED', 'INCOMPLETE', 'UNREADABLE'] },
      };
    }
  }
  yield* recordMutants(files, exportsKey);
  yield* sealMutants(files, exportsKey);
}
