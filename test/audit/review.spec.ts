import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  canonicalLine,
  contentOf,
  evidenceBehind,
  loadTable,
  saveTable,
  type AnyEvent,
} from '#audit';
import { audit, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { faultyCoup, ReviewedTable } from '../kit/reviewed-table.js';

/** A shoe in which dora dealt one coup: the banker hand drew on 6 against an 8 (TC-08). */
const faulty = (): ReviewedTable =>
  new ReviewedTable().play((log) => {
    log.open();
    log.dealer('dora');
    faultyCoup(log);
  });

/** The same, with a ruling that pia proposed after she claimed the finding. */
function proposed(): ReviewedTable {
  const table = faulty();
  table.claim('pia', 'TC-08');
  table.propose('pia', 'TC-08');
  return table;
}

/** The same, signed by sam. */
function ruled(): ReviewedTable {
  const table = proposed();
  table.sign('sam', 'TC-08');
  return table;
}

/** Corrects the player's third card: the 5 was an 8, against which the banker hand stands too. */
const correctsThirdCard = (table: ReviewedTable, card: string): ReviewedTable =>
  table.play((log) => {
    const { source, id, data } = log.events.find(
      (event) => (event.data as { card?: string }).card === '5C',
    ) as { source: string; id: string; data: object };
    log.add('person/floor', 'observation-corrected', {
      ...{ event: `${source}#${id}`, data: { ...data, card } },
      ...{ by: 'floor', reason: 'misread' },
    });
  });

describe('a finding is ruled by two persons', () => {
  it('two persons claim a finding, propose and sign a ruling, in this order', () => {
    const table = faulty();
    expect(table.claim('pia', 'TC-08')).toBe('taken');
    expect(table.propose('pia', 'TC-08')).toBe('taken');
    expect(table.item('TC-08')).toMatchObject({ state: 'proposed', claim: null });
    expect(table.sign('sam', 'TC-08')).toBe('taken');
    expect(table.item('TC-08')).toMatchObject({
      state: 'ruled',
      ruling: { proposedBy: 'pia', signedBy: 'sam', disposition: 'dealer-error-corrected' },
    });
  });

  it('one person rules alone where the policy requires only one: a lesser fault, without much money', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      faultyCoup(log, 2); // where coup 1 was due: DL-16
    });
    table.claim('pia', 'DL-16');
    const data = { disposition: 'procedure-breach', note: 'miscounted' } as const;
    expect(table.propose('pia', 'DL-16', data)).toBe('taken');
    expect(table.item('DL-16').ruling).toMatchObject({ proposedBy: 'pia', signedBy: null });
  });

  it('two persons rule if the ruling names much money, or money without a threshold', () => {
    for (const [amount, state] of [
      [99_999, 'ruled'],
      [100_000, 'proposed'],
    ] as const) {
      const table = new ReviewedTable().play((log) => {
        log.open();
        log.dealer('dora');
        faultyCoup(log, 2);
      });
      table.claim('pia', 'DL-16');
      const data = { disposition: 'payout-error', amount, favours: 'patron' } as const;
      expect(table.propose('pia', 'DL-16', data)).toBe('taken');
      expect(table.item('DL-16').state).toBe(state);
    }
  });

  it('never by one person with two accounts, because both write as the same person', () => {
    expect(proposed().sign('pia', 'TC-08', { as: 'surveillance' })).toBe('same-person');
  });

  it('never by the dealer, the caller or anybody who entered something in the coup', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      log.add('terminal', 'dealer-signed-on', { dealer: 'carl', role: 'caller' });
      faultyCoup(log);
      const said = { by: 'vera', reason: 'two cards stuck' };
      log.add('person/ines', 'coup-voided', { coup: 1, ...said });
    });
    for (const one of ['dora', 'carl', 'vera', 'ines'])
      expect([one, table.claim(one, 'TC-08')]).toEqual([one, 'conflict-of-interest']);
    expect(table.claim('pia', 'TC-08')).toBe('taken');
  });

  it('the dealer of a shoe that was opened wrongly cannot rule on that, whatever shoes came before', () => {
    const table = new ReviewedTable().play((log) => {
      log.dealer('dora');
      for (const shoe of ['S1', 'S2']) {
        log.shoe = shoe;
        log.open();
      }
      log.shoe = 'S3';
      log.open({ decks: 9 }); // SH-19
    });
    expect(table.claim('dora', 'SH-19')).toBe('conflict-of-interest');
    expect(table.item('SH-19')).toMatchObject({ currency: 'USD', people: null });
  });

  it('a dealer who was relieved before a coup may rule on it', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('mira');
      log.add('terminal', 'dealer-relieved', { dealer: 'mira', role: 'dealer' });
      log.dealer('dora');
      faultyCoup(log);
    });
    expect(table.claim('mira', 'TC-08')).toBe('taken');
    expect(table.claim('dora', 'TC-08')).toBe('conflict-of-interest');
  });
});

describe('a finding that was escalated', () => {
  it('is signed only in the role to which it went', () => {
    const table = faulty();
    const finding = table.finding('TC-08');
    const to = { to: 'surveillance', reason: 'it happened twice' } as const;
    expect(table.act('pia', 'finding-escalated', { finding, ...to })).toBe('taken');
    table.claim('pia', 'TC-08');
    table.propose('pia', 'TC-08');
    expect(table.sign('sam', 'TC-08', { as: 'pit-boss' })).toBe('not-permitted');
    expect(table.sign('sam', 'TC-08', { as: 'surveillance' })).toBe('taken');
  });
});

describe('a finding of a lesser fault that was escalated', () => {
  const escalated = (): ReviewedTable => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      faultyCoup(log, 2); // DL-16, on which one person rules alone
    });
    const finding = table.finding('DL-16');
    table.act('pia', 'finding-escalated', { finding, to: 'compliance', reason: 'doubt' });
    return table;
  };
  const data = { disposition: 'procedure-breach', note: 'miscounted' } as const;

  it('is not ruled by one person of another role: the role to which it went signs', () => {
    const table = escalated();
    table.claim('sam', 'DL-16');
    expect(table.propose('sam', 'DL-16', data)).toBe('taken');
    expect(table.item('DL-16')).toMatchObject({ state: 'proposed', escalated: 'compliance' });
    expect(table.sign('tom', 'DL-16')).toBe('not-permitted');
    expect(table.sign('cora', 'DL-16', { as: 'compliance' })).toBe('taken');
  });

  it('is ruled by one person of that role', () => {
    const table = escalated();
    table.claim('cora', 'DL-16', { as: 'compliance' });
    expect(table.propose('cora', 'DL-16', data, { as: 'compliance' })).toBe('taken');
    expect(table.item('DL-16').ruling).toMatchObject({ proposedBy: 'cora', signedBy: null });
  });
});

describe('a claim', () => {
  it('keeps others off until it runs out, and still counts until another takes it', () => {
    const table = faulty();
    table.claim('pia', 'TC-08');
    expect(table.claim('sam', 'TC-08', { after: 599 })).toBe('claimed-by-another');
    expect(table.claim('pia', 'TC-08', { after: 0 })).toBe('taken'); // renewed
    expect(table.propose('pia', 'TC-08', {}, { after: 9000 })).toBe('taken');
    const other = faulty();
    other.claim('pia', 'TC-08');
    expect(other.claim('sam', 'TC-08', { after: 601 })).toBe('taken');
    expect(other.propose('pia', 'TC-08')).toBe('not-claimed');
  });

  it('is held by one of two people who ask at the same moment: the first on the log', () => {
    const table = faulty();
    expect([
      table.claim('pia', 'TC-08', { after: 0 }),
      table.claim('sam', 'TC-08', { after: 0 }),
    ]).toEqual(['taken', 'claimed-by-another']);
  });

  it('is released by its holder only', () => {
    const table = faulty();
    table.claim('pia', 'TC-08');
    const finding = table.finding('TC-08');
    expect(table.act('sam', 'finding-released', { finding })).toBe('not-yours');
    expect(table.act('pia', 'finding-released', { finding })).toBe('taken');
    expect(table.claim('sam', 'TC-08')).toBe('taken');
  });

  it('a claim in an open coup has no evidence before the coup ends', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      log.add('terminal', 'coup-opened', { coup: 1 });
      log.draw('P 9S B KH P 4D B 6S P 5C B 2D');
    });
    expect(table.claim('pia', 'TC-08')).toBe('taken');
    expect(table.item('TC-08').evidence).toBeNull();
    expect(table.propose('pia', 'TC-08')).toBe('coup-open');
    table.play((log) => log.add('terminal', 'coup-closed'));
    expect(table.turns()).toEqual(['evidence']);
    expect(table.propose('pia', 'TC-08')).toBe('taken');
  });
});

describe('evidence', () => {
  it('is the SHA-256 of the lines of the coup, its opening and what reached it', () => {
    const table = faulty();
    table.claim('pia', 'TC-08');
    const behind = evidenceBehind(table.state, table.finding('TC-08')) ?? [];
    const lines = behind.map((event) => `${contentOf(event)}\n`).join('');
    expect(table.item('TC-08').evidence).toBe(createHash('sha256').update(lines).digest('hex'));
    expect(behind.map(({ type }) => type)).toEqual([
      'shoe-opened',
      ...['coup-opened', 'bet-placed', 'betting-closed'],
      ...Array.from({ length: 6 }, () => 'card-drawn'),
      ...['outcome-declared', 'bet-settled', 'coup-closed'],
    ]);
  });

  it('takes in bets laid before the coup, what was settled after it, and corrections', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      log.add('terminal', 'bet-placed', { seat: 1, bet: 'banker', amount: 10_000 });
      log.add('terminal', 'coup-opened', { coup: 1 });
      log.draw('P 9S B KH P 4D B 6S P 5C B 2D');
      log.add('terminal', 'outcome-declared', { outcome: 'tie', by: 'dealer' });
      log.add('terminal', 'coup-closed');
      log.add('terminal', 'bet-settled', { seat: 1, bet: 'banker', stake: 'returned', paid: 0 });
    });
    table.claim('pia', 'TC-08');
    const types = () =>
      (evidenceBehind(table.state, table.finding('TC-08')) ?? []).map(({ type }) => type);
    expect(types().slice(0, 3)).toEqual(['shoe-opened', 'bet-placed', 'coup-opened']);
    expect(types().at(-1)).toBe('bet-settled');
    correctsThirdCard(table, '8C');
    expect(types().at(-1)).toBe('observation-corrected');
  });

  it('takes in a card that was carried into the coup, with its move', () => {
    const table = new ReviewedTable().play((log) => {
      log.open();
      log.dealer('dora');
      log.add('terminal', 'coup-opened', { coup: 1 });
      const [, , , , excess] = log.draw('P 9S B 8H P KD B KC - 4D');
      log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
      const event = excess as string;
      log.add('person/ines', 'card-moved', { event, to: 'next', by: 'ines', reason: 'excess' });
      log.add('terminal', 'coup-closed');
      log.add('terminal', 'coup-opened', { coup: 2 });
      log.draw('B KH P 4H B 6S P 2C B 2D'); // 4 4 2 is 0; against a 2 the banker hand stands on 6
      log.add('terminal', 'outcome-declared', { outcome: 'banker', by: 'dealer' });
      log.add('terminal', 'coup-closed');
    });
    const item = [...table.state.desk.items.values()].findLast(({ code }) => /^TC/.test(code));
    const behind = evidenceBehind(table.state, item?.id ?? '') ?? [];
    expect(behind.slice(0, 4).map(({ type }) => type)).toEqual([
      ...['shoe-opened', 'card-drawn', 'card-moved', 'coup-opened'],
    ]);
    expect(table.claim('ines', item?.code ?? '')).toBe('conflict-of-interest');
  });

  it('takes in a late event once a correction entered it, just before that correction', () => {
    const table = faulty();
    const lost: Sent[] = [];
    table.play((log) => {
      log.add('terminal', 'coup-opened', { coup: 2 });
      log.draw('P 2S B KD');
      log.add('shoe', 'card-drawn', { card: '3S', to: 'player' });
      lost.push(log.events.pop() as Sent);
      log.draw('B 6H');
      log.add('shoe', 'device-offline'); // the hole is a gap now
      log.add('terminal', 'outcome-declared', { outcome: 'banker', by: 'dealer' });
      log.draw('B 2D'); // a third card on 6 against a player hand that stood
      log.add('terminal', 'coup-closed');
      log.events.push(...lost);
      const [{ source, id, data }] = lost as [
        { source: string; id: string; data: Record<string, unknown> },
      ];
      log.add('person/floor', 'observation-corrected', {
        ...{ event: `${source}#${id}`, data, by: 'floor', reason: 'it came late' },
      });
    });
    const finding = [...table.state.desk.items.values()].findLast(
      ({ standing, coupRef, shoeRef }) => standing && coupRef !== null && shoeRef !== null,
    );
    const types = (evidenceBehind(table.state, finding?.id ?? '') ?? []).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['card-drawn', 'observation-corrected']);
    expect(types.filter((type) => type === 'card-drawn')).toHaveLength(5);
  });

  it('has the opening of the shoe as it was recorded, and then its correction', () => {
    const table = faulty();
    const [opening] = table.events as [Sent];
    table.play((log) => {
      const data = { ...(opening.data as object), currency: 'MOP' };
      const event = `${opening.source as string}#${opening.id as string}`;
      const said = { by: 'floor', reason: 'typed wrongly' };
      log.add('person/floor', 'observation-corrected', { event, data, ...said });
    });
    table.state = loadTable(saveTable(table.state), BOOK);
    const behind = evidenceBehind(table.state, table.finding('TC-08')) ?? [];
    expect(behind.map(({ type }) => type)).toContain('observation-corrected');
    expect(contentOf(behind[0] as AnyEvent)).toBe(canonicalLine(JSON.stringify(opening)));
  });

  it('stays as it was when the shoe goes out of reach, and the finding can still be ruled', () => {
    const table = faulty();
    table.claim('pia', 'TC-08');
    const { evidence } = table.item('TC-08');
    table.play((log) => {
      for (const shoe of ['S2', 'S3']) {
        log.shoe = shoe;
        log.open();
      }
    });
    expect(table.item('TC-08')).toMatchObject({ evidence, people: ['dora'] });
    table.state = loadTable(saveTable(table.state), BOOK);
    expect(table.propose('pia', 'TC-08')).toBe('taken');
    expect(table.sign('dora', 'TC-08')).toBe('conflict-of-interest');
    expect(table.sign('sam', 'TC-08')).toBe('taken');
  });

  it('the evidence of a finding that nobody claimed is made when its shoe goes out of reach', () => {
    const [claimed, unclaimed] = [faulty(), faulty()];
    claimed.claim('pia', 'TC-08');
    unclaimed.play((log) => {
      for (const shoe of ['S2', 'S3']) {
        log.shoe = shoe;
        log.open();
      }
    });
    expect(unclaimed.item('TC-08').evidence).toBe(claimed.item('TC-08').evidence);
  });
});

describe('what the game does to a review', () => {
  it('lets a proposal fall if the coup is corrected and the finding stays', () => {
    const table = correctsThirdCard(proposed(), '8D');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', proposal: null, stale: true });
    expect(table.sign('sam', 'TC-08')).toBe('nothing-proposed');
    expect(table.propose('pia', 'TC-08')).toBe('not-claimed');
    table.claim('sam', 'TC-08');
    expect(table.propose('sam', 'TC-08')).toBe('taken');
    expect(table.item('TC-08').stale).toBe(false);
  });

  it('lets a proposal fall if the finding is withdrawn, and nothing is decided about it', () => {
    const table = correctsThirdCard(proposed(), '6C'); // against a 6 the banker hand draws on 6
    expect(table.item('TC-08')).toMatchObject({ standing: false, state: 'open', stale: true });
    expect(table.claim('sam', 'TC-08')).toBe('finding-withdrawn');
  });

  it('marks a ruling if its coup changes and the finding does not', () => {
    const table = ruled();
    table.play((log) =>
      log.add('terminal', 'bet-settled', { seat: 2, bet: 'tie', stake: 'returned', paid: 0 }),
    );
    expect(table.item('TC-08')).toMatchObject({ state: 'ruled', touched: true });
  });

  it('opens a ruled finding again if it is amended, as by a void after the ruling', () => {
    const table = ruled();
    table.play((log) =>
      log.add('person/ines', 'coup-voided', { coup: 1, by: 'ines', reason: 'two cards stuck' }),
    );
    expect(table.turns()).toContain('regressed');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', ruling: null, regressed: true });
    expect(table.claim('ines', 'TC-08')).toBe('conflict-of-interest');
  });

  it('judges by the opening as it was recorded once its correction is corrected away', () => {
    const table = new ReviewedTable().play((log) => {
      const opening = log.open({ rulesHash: 'abc' });
      const signOn = log.dealer('dora');
      const { rulesHash: _, ...right } = log.events[0]?.data as Record<string, unknown>;
      const said = { by: 'floor', reason: 'typed wrongly' };
      const first = log.add('person/floor', 'observation-corrected', {
        ...{ event: opening, data: right, ...said },
      });
      const elsewhere = { event: signOn, data: { dealer: 'mira', role: 'dealer' }, ...said };
      log.add('person/floor', 'observation-corrected', { event: first, data: elsewhere, ...said });
    });
    expect(table.item('SH-19').standing).toBe(true);
  });

  it('keeps a finding of the opening withdrawn when the table is saved and loaded', () => {
    const table = new ReviewedTable();
    let opening = '';
    table.play((log) => {
      opening = log.open({ rulesHash: 'abc' });
      const { rulesHash: _, ...data } = log.events[0]?.data as Record<string, unknown>;
      const said = { by: 'floor', reason: 'typed wrongly' };
      log.add('person/floor', 'observation-corrected', { event: opening, data, ...said });
    });
    expect(table.item('SH-19').standing).toBe(false);
    table.state = loadTable(saveTable(table.state), BOOK);
    table.play((log) => log.dealer('dora'));
    expect(table.item('SH-19').standing).toBe(false);
  });

  it('never lets an old ruling hold for a finding that was withdrawn and raised again', () => {
    const table = correctsThirdCard(ruled(), '6C');
    expect(table.item('TC-08')).toMatchObject({ standing: false, state: 'ruled' });
    correctsThirdCard(table, '8D');
    expect(table.item('TC-08')).toMatchObject({
      ...{ standing: true, state: 'open', ruling: null, regressed: true },
    });
  });
});

describe('somebody who turns out to be involved later', () => {
  /** Corrects who signed on as the dealer, which lies before the coup and not in its evidence. */
  const correctsDealer = (table: ReviewedTable, dealer: string): ReviewedTable =>
    table.play((log) => {
      const { source, id } = log.events.find(({ type }) =>
        String(type).includes('dealer-signed-on'),
      ) as { source: string; id: string };
      log.add('person/floor', 'observation-corrected', {
        ...{ event: `${source}#${id}`, data: { dealer, role: 'dealer' } },
        ...{ by: 'floor', reason: 'signed on with the card of another' },
      });
    });
  const involvedIn = (table: ReviewedTable): readonly string[] | undefined =>
    table.bases.get(table.finding('TC-08'))?.people;

  it('is among those involved at once, so that nothing is shown that is said about them', () => {
    const table = proposed();
    expect(involvedIn(table)).toContain('dora');
    correctsDealer(table, 'sam');
    expect(involvedIn(table)).toContain('sam');
    expect(involvedIn(table)).not.toContain('dora');
    expect(table.item('TC-08').state).toBe('proposed');
    expect(table.sign('sam', 'TC-08')).toBe('conflict-of-interest');
    expect(table.sign('tom', 'TC-08')).toBe('taken');
  });

  it('loses a proposal, so that nobody signs it', () => {
    const table = correctsDealer(proposed(), 'pia');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', proposal: null, stale: true });
    expect(table.turns()).toContain('stale');
    expect(table.sign('sam', 'TC-08')).toBe('nothing-proposed');
  });

  it('keeps a ruling, which is marked, whether they proposed or signed it', () => {
    for (const one of ['pia', 'sam']) {
      const table = correctsDealer(ruled(), one);
      expect(table.item('TC-08')).toMatchObject({ state: 'ruled', touched: true });
      expect(table.turns()).toContain('touched');
    }
    expect(correctsDealer(ruled(), 'tom').item('TC-08').touched).toBe(false);
  });

  it('is known after the table was saved and loaded in between', () => {
    const table = proposed();
    table.state = loadTable(saveTable(table.state), BOOK);
    table.bases.clear();
    correctsDealer(table, 'dora');
    expect(involvedIn(table)).toBeUndefined(); // nothing changed, so no row is written
    correctsDealer(table, 'pia');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', stale: true });
  });
});

describe('a ruling', () => {
  it('is taken back without ending the claim of who wanted to sign it', () => {
    const table = proposed();
    table.claim('sam', 'TC-08');
    const finding = table.finding('TC-08');
    const { ref: proposal = '' } = table.item('TC-08').proposal ?? {};
    expect(table.act('pia', 'finding-ruling-taken-back', { finding, proposal })).toBe('taken');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', claim: { by: 'sam' } });
    expect(table.claim('pia', 'TC-08')).toBe('claimed-by-another');
  });

  it('is taken back by its proposer alone, until it is signed', () => {
    const table = proposed();
    const take = (who: string): string =>
      table.act(who, 'finding-ruling-taken-back', {
        finding: table.finding('TC-08'),
        proposal: table.item('TC-08').proposal?.ref ?? 'person/pia#gone',
      });
    expect(take('sam')).toBe('not-yours');
    expect(take('pia')).toBe('taken');
    expect(take('pia')).toBe('nothing-proposed');
    expect(table.item('TC-08')).toMatchObject({ state: 'open', stale: false });
  });

  it('is final: nobody claims, proposes, escalates or takes back what was ruled', () => {
    const table = ruled();
    const finding = table.finding('TC-08');
    const { ref } = table.item('TC-08').ruling ?? { ref: '' };
    expect([
      table.claim('sam', 'TC-08'),
      table.propose('sam', 'TC-08'),
      table.sign('tom', 'TC-08'),
      table.act('pia', 'finding-ruling-taken-back', { finding, proposal: ref }),
      table.act('pia', 'finding-escalated', { finding, to: 'compliance', reason: 'doubt' }),
    ]).toEqual(Array(5).fill('already-ruled'));
    expect(table.item('TC-08')).toMatchObject({ state: 'ruled', escalated: null });
  });

  it('is signed, refused and taken back only as what is proposed now', () => {
    const table = proposed();
    const finding = table.finding('TC-08');
    const { ref: proposal = '', evidence = '' } = table.item('TC-08').proposal ?? {};
    table.act('pia', 'finding-ruling-taken-back', { finding, proposal });
    table.claim('pia', 'TC-08');
    table.propose('pia', 'TC-08', { disposition: 'procedure-breach', note: 'seen on video' });
    const reason = 'the video shows something else';
    expect([
      table.act('sam', 'finding-ruling-signed', { finding, proposal, evidence }),
      table.act('sam', 'finding-ruling-refused', { finding, proposal, reason }),
      table.act('pia', 'finding-ruling-taken-back', { finding, proposal }),
    ]).toEqual(Array(3).fill('proposal-changed'));
    expect(table.item('TC-08').state).toBe('proposed');
  });

  it('is made by those who review: no other role claims, decides or escalates', () => {
    const as = 'regulator';
    const table = proposed();
    const finding = table.finding('TC-08');
    const { ref: proposal = '' } = table.item('TC-08').proposal ?? {};
    expect([
      faulty().claim('rex', 'TC-08', { as }),
      table.sign('rex', 'TC-08', { as }),
      table.act('rex', 'finding-ruling-refused', { finding, proposal, reason: 'no' }, { as }),
      table.act('pia', 'finding-ruling-taken-back', { finding, proposal }, { as }),
      table.act('rex', 'finding-escalated', { finding, to: 'compliance', reason: 'no' }, { as }),
    ]).toEqual(Array(5).fill('not-permitted'));
  });

  it('is refused by a second person, with a reason, and proposed again', () => {
    const table = proposed();
    const proposal = table.item('TC-08').proposal?.ref ?? '';
    const data = { proposal, reason: 'the video shows something else' };
    const finding = table.finding('TC-08');
    expect(table.act('pia', 'finding-ruling-refused', { finding, ...data })).toBe('same-person');
    expect(table.act('sam', 'finding-ruling-refused', { finding, ...data })).toBe('taken');
    expect(table.act('sam', 'finding-ruling-refused', { finding, ...data })).toBe(
      'nothing-proposed',
    );
    table.claim('pia', 'TC-08');
    expect(table.propose('pia', 'TC-08')).toBe('taken');
  });

  it('is opened again by surveillance or compliance, or within a minute by the one who made it final', () => {
    const reopen = (table: ReviewedTable, who: string, sending: object): string =>
      table.act(
        who,
        'finding-reopened',
        {
          finding: table.finding('TC-08'),
          ruling: table.item('TC-08').ruling?.ref ?? 'person/sam#none',
          reason: 'a slip',
        },
        sending,
      );
    expect(reopen(ruled(), 'sam', { after: 60 })).toBe('taken');
    expect(reopen(ruled(), 'sam', { after: 61 })).toBe('not-permitted');
    expect(reopen(ruled(), 'pia', { after: 1 })).toBe('not-permitted');
    expect(reopen(ruled(), 'vera', { after: 9000, as: 'surveillance' })).toBe('taken');
    const open = proposed();
    expect(reopen(open, 'vera', { as: 'surveillance' })).toBe('not-ruled');
  });

  it('states what its disposition needs', () => {
    const table = faulty();
    table.claim('pia', 'TC-08');
    const propose = (data: object): string => table.propose('pia', 'TC-08', data);
    expect(propose({ disposition: 'no-error' })).toBe('ruling-incomplete');
    expect(propose({ disposition: 'payout-error', amount: 5 })).toBe('ruling-incomplete');
    expect(propose({ disposition: 'device-misread' })).toBe('ruling-incomplete');
    expect(propose({ evidence: 'f'.repeat(64) })).toBe('evidence-changed');
    expect(propose({ disposition: 'no-error', note: 'seen on video' })).toBe('taken');
  });
});

describe('an act that is sent again', () => {
  it('counts once if it says the same, whatever its time, and keeps its first answer', () => {
    const table = faulty();
    table.claim('pia', 'TC-08', { key: 'k' });
    const before = table.changes.length;
    table.claim('pia', 'TC-08', { key: 'k', after: 300 });
    expect(table.changes).toHaveLength(before);
    expect(table.state.admission.counts).toMatchObject({ duplicates: 1, equivocal: 0 });
  });

  it('is refused if it says something else under the same key', () => {
    const table = faulty();
    table.claim('pia', 'TC-08', { key: 'k' });
    const data = { finding: table.finding('TC-08'), lease: 3600 };
    const other = table.act('pia', 'finding-claimed', data, { key: 'k' });
    expect(other).toBe('idempotency-key-reused');
    expect(table.state.admission.counts).toMatchObject({ duplicates: 0, equivocal: 1 });
    expect(audit(table.events).findings.map(({ code }) => code)).not.toContain('DV-15');
  });
});

describe('looks, comments and video', () => {
  it('are kept whatever they name, and change nothing', () => {
    const table = faulty();
    const before = saveTable(table.state);
    expect(
      table.act('dora', 'finding-viewed', { finding: 'never-raised' }, { as: 'regulator' }),
    ).toBe('taken');
    expect(
      table.act('dora', 'finding-commented', { finding: table.finding('TC-08'), text: 'mine' }),
    ).toBe('taken');
    const [{ items: was }, { items: is }] = [before, saveTable(table.state)].map(
      (saved) => (JSON.parse(saved) as { desk: { items: unknown } }).desk,
    ) as [{ items: unknown }, { items: unknown }];
    expect(is).toEqual(was);
  });
});

describe('acts on findings', () => {
  it('wait for no missing message, and none waits for them', () => {
    const table = faulty();
    table.play((log) => {
      log.lose('shoe');
      log.add('shoe', 'coup-opened', { coup: 2 });
    });
    expect(table.claim('pia', 'TC-08')).toBe('taken');
    expect(table.state.admission.wait?.queue).toHaveLength(1);
  });

  it('about a finding that was never raised are refused, and recorded', () => {
    const table = faulty();
    expect(table.act('pia', 'finding-claimed', { finding: 'never-raised', lease: 60 })).toBe(
      'out-of-reach',
    );
    expect(table.state.admission.counts.admitted).toBe(table.events.length);
  });
});

describe('the desk of a table', () => {
  it('holds 4,096 findings and those within reach: the withdrawn, the ruled, then the least go', () => {
    const table = new ReviewedTable();
    const shoes = 43;
    table.play((log) => {
      for (let shoe = 1; shoe <= shoes; shoe += 1) {
        log.shoe = `S${shoe}`;
        log.open();
        // a hundred cards outside any coup, each a finding
        log.draw(`P ${Array.from({ length: 100 }, () => '9S').join(' ')}`);
      }
    });
    const { items } = table.state.desk;
    expect(items.size).toBe(4096);
    expect(table.turns().filter((turn) => turn === 'lapsed').length).toBeGreaterThan(0);
    const inReach = [table.state.open, table.state.before];
    for (const shoe of inReach)
      for (const id of shoe?.found.keys() ?? []) expect(items.has(id)).toBe(true);
  });
});
