import { readVkey, verifyPackage, type PackageReport } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, it } from '@jest/globals';
import { plainJudges } from './plain-judges.js';
import { packed, sourceOf, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

/** Returns a site whose table has records, of which these hold a line that names no table. */
function siteWith(nameless: readonly number[]): SmallSite {
  const site = new SmallSite();
  for (let n = 0; n < 30; n += 1) {
    const line = `{"id":"${n}","table":"B07","data":{}}`;
    site.append('B07', nameless.includes(n) ? `${line}\nnot an event` : line);
    if (n % 10 === 9) site.seal();
  }
  return site;
}

const NAMELESS = { context: 3, range: 14, later: 25 } as const;

async function verified(where: keyof typeof NAMELESS, line?: number): Promise<PackageReport> {
  const site = siteWith([NAMELESS[where]]);
  const [after = 0, to = 0] = site.seals.map(({ number }) => number);
  const record = NAMELESS[where];
  const packing: Packing = {
    id: 'shoe',
    scope: { kind: 'shoe', table: 'B07', shoe: 'S' },
    tables: [{ table: 'B07', first: 10, end: 20 }],
    ...{ after, to, context: { B07: [3] }, later: { B07: [25] } },
    unjudged: line === undefined ? [] : [{ table: 'B07', record, line, released: true }],
  };
  return verifyPackage(
    sourceOf(await packed(site, packing)),
    {
      keys: [readVkey(nodeCryptography.sha256, site.logKey.vkey)],
      ...{ checkpoints: [], witnesses: [], quorum: 0 },
    },
    plainJudges,
    nodePlatform,
  );
}

describe.each(Object.entries(NAMELESS) as [keyof typeof NAMELESS, number][])(
  'a line that names no table, in %s',
  (where, record) => {
    it('is excused if it is one of `unjudged`', async () => {
      const { verdict, faults } = await verified(where, 2);
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
    });

    it.each([
      ['is not one of `unjudged`', undefined],
      ['is not, and another line of its record is', 1],
    ])('makes the package altered where it %s', async (_, line) => {
      const { verdict, faults } = await verified(where, line);
      expect(verdict).toBe('ALTERED');
      expect(faults).toMatchObject([{ step: 6, table: 'B07', record }]);
      expect(faults[0]?.message).toContain('does not name table B07');
    });
  },
);
