import { describe, expect, it } from '@jest/globals';
import { FINDING_CODES, type FindingCode } from '#audit';
import fc from 'fast-check';
import { auditedSimulation, DOCUMENTS, inShort, rulesNamed, simulated } from './simulated.js';
import { IS_LONG, rounds } from '../kit/rounds.js';

/** What is done wrong, as a floor manager would say it. */
const WRONGS: Readonly<Record<FindingCode, string>> = {
  'SH-02': 'one more copy of a card comes than the decks hold',
  'SH-04': 'the cards left at the end are miscounted',
  'SH-06': 'no card is burned',
  'SH-07': 'a wrong number of cards is burned',
  'SH-09': 'a coup is dealt after the last one that the cut card permits',
  'SH-10': 'the shoe is closed without a reason',
  'SH-13': 'the shoe runs out inside a coup',
  'SH-19': 'the shoe holds a number of decks that the rules do not allow',
  'DL-01': 'the first card is drawn before betting has closed',
  'DL-02': 'the second card goes to the player hand',
  'DL-04': 'the banker hand is left with one card',
  'DL-05': 'a card that is due lies face up',
  'DL-06': 'a card is drawn when none is due',
  'DL-07': 'a card is drawn when none is due, and seen',
  'DL-10': 'a coup is dealt without any bet',
  'DL-11': 'a card leaves the shoe outside the game',
  'DL-15': 'a card goes to a hand between two coups',
  'DL-16': 'a coup number is passed over',
  'TC-01': 'the player hand draws against a natural',
  'TC-02': 'the banker hand draws against a natural',
  'TC-03': 'the player hand stands where it must draw',
  'TC-04': 'the player hand draws where it must stand',
  'TC-05': 'the banker hand stands, and must draw against a player hand that stood',
  'TC-06': 'the banker hand draws, and must stand against a player hand that stood',
  'TC-07': 'the banker hand stands, and must draw against the third card',
  'TC-08': 'the banker hand draws, and must stand against the third card',
  'TC-09': 'the banker hand draws before the player hand',
  'TC-11': 'a hand gets a fourth card',
  'RS-01': 'a total is called wrongly',
  'RS-02': 'the dealer declares the wrong outcome',
  'RS-03': 'the device declares the wrong outcome',
  'RS-05': 'a special is announced that the cards do not make, or is forgotten',
  'RS-07': 'no outcome is declared',
  'RS-08': 'the dealer declares one outcome, then another',
  'RS-09': 'a coup is voided without a reason, a name, or by its own dealer',
  'BT-01': 'a bet is placed after betting has closed',
  'BT-02': 'a bet is under the minimum',
  'BT-03': 'a bet is over the maximum',
  'BT-07': 'a bet is taken on a dummy coup',
  'BT-08': 'a stake stays on the layout after a void',
  'BT-10': 'a bet is taken that the rules do not have',
  'PY-01': 'a winner is not paid',
  'PY-02': 'a loser is not collected',
  'PY-03': 'a winner is paid another amount',
  'PY-04': 'a bet is taken on a tie that returns it',
  'PY-05': 'a special push or half-pay is paid even money',
  'PY-06': 'a seat without a bet is paid',
  'PY-07': 'a bet is settled before the outcome',
  'PY-10': 'a bet is settled after the coup has closed',
  'CM-01': 'no commission is charged',
  'CM-02': 'a wrong commission is charged',
  'CM-03': 'commission is rounded otherwise than the rules say',
  'CM-04': 'commission is charged where none is owed',
  'CM-05': 'commission is left owing when the shoe closes',
  'CM-06': 'more commission is collected than is outstanding',
  'CM-08': 'commission is waived without a name, a reason, or by the dealer',
  'DV-01': 'a card cannot be read',
  'DV-04': 'a message of a device is lost',
  'DV-06': 'the device of the cards comes back and does not know what it missed',
  'DV-11': 'a card is entered by hand',
  'DV-15': 'a device says two things under one number',
  'PR-01': 'cards are dealt while nobody is signed on',
  'PR-04': 'a correction has no name to it, or the name of the dealer',
  'PR-07': 'a coup is voided that the rules say to settle',
  'PR-09': 'a correction names an event that nobody knows',
  'PR-10': "a correction in the supervisor's name comes from the terminal",
};

/**
 * Returns the impossible faults: what a document, or a table without bets, does not have cannot go
 * wrong.
 */
function refused(name: string, bets: boolean): Set<FindingCode> {
  const { document } = rulesNamed(name);
  const remedies = document.irregularities.length > 0;
  const commission = document.commission !== undefined;
  const special = name === 'ez-baccarat@1' || name === 'super-6@1';
  const burns = name !== 'chemin-de-fer@1' && name !== 'punto-banco-no-burn@1';
  return new Set(
    FINDING_CODES.filter((code) => {
      if (!bets && (code === 'DL-10' || /^(BT|PY|CM)-/.test(code))) return true;
      if (/^CM-0[12358]$/.test(code)) return !commission;
      if (code === 'PY-05') return !special;
      if (code === 'SH-06') return !burns;
      return (code === 'DL-05' || code === 'PR-07') && !remedies;
    }),
  );
}

/**
 * Returns the findings that a fault entails. At a house with prescribed remedies, that is also the
 * missing remedy.
 */
function entailed(name: string, code: FindingCode): readonly FindingCode[] {
  if (code === 'RS-08') return ['RS-02'];
  if (code === 'PR-07') return ['DL-05'];
  if (name !== 'nsw-crown@1') return [];
  return ['DL-02', 'DL-06', 'TC-01', 'TC-02', 'TC-04', 'TC-06', 'TC-08'].includes(code)
    ? ['PR-07']
    : [];
}

const TABLES = DOCUMENTS.flatMap((rules) =>
  rulesNamed(rules).bets.size > 0 ? [{ rules, bets: true }] : [{ rules, bets: false }],
).concat({ rules: 'nsw-crown@1', bets: false });
const seeds = fc.string({ minLength: 1, maxLength: 6 });

const exactly = (
  options: Parameters<typeof auditedSimulation>[0],
): ReturnType<typeof auditedSimulation> => {
  const log = auditedSimulation(options);
  expect(inShort(log.findings)).toEqual(inShort(log.expected));
  return log;
};

/**
 * Returns the tables at which a fault is injected alone. `npm test` takes every table whose rules
 * entail another finding, and one of the others, which differs from code to code. The shoes that
 * share all faults cover the rest.
 */
const alone = (houses: typeof TABLES, code: FindingCode): typeof TABLES =>
  houses.filter(
    ({ rules }, at) =>
      IS_LONG ||
      at === FINDING_CODES.indexOf(code) % houses.length ||
      (rules === 'nsw-crown@1' && entailed(rules, code).length > 0),
  );

describe.each(FINDING_CODES.map((code) => ({ code, wrong: WRONGS[code] })))(
  'the fault $code: $wrong',
  ({ code }) => {
    const houses = TABLES.filter(({ rules, bets }) => !refused(rules, bets).has(code));

    it('can be injected under some published rules', () => {
      expect(houses.length).toBeGreaterThan(0);
    });

    it.each(alone(houses, code))(
      'causes its finding and those that it entails, and no other, under $rules (bets: $bets)',
      ({ rules, bets }) => {
        const { expected } = exactly({ rules, bets, seed: code, shoes: 1, faults: [code] });
        const others = expected.map((finding) => finding.code).filter((each) => each !== code);
        // In New South Wales an exposed first card makes the coup a dummy. Any other card does not.
        if (rules === 'nsw-crown@1' && code === 'DL-05')
          expect(['', 'PR-07']).toContain(others.join());
        else expect(others).toEqual(entailed(rules, code));
        expect(expected.filter((finding) => finding.code === code)).toHaveLength(1);
        expect(new Set(expected.map(({ fault }) => fault))).toEqual(new Set([code]));
      },
    );

    it('causes the same findings whatever the seed', () => {
      fc.assert(
        fc.property(seeds, fc.constantFrom(...houses), (seed, house) => {
          exactly({ ...house, seed, shoes: 1, faults: [code] });
        }),
        { numRuns: rounds(4) },
      );
    });
  },
);

describe('faults', () => {
  it.each(TABLES)(
    'of all kinds can share shoes without mixing, under $rules (bets: $bets)',
    ({ rules, bets }) => {
      const possible = FINDING_CODES.filter((code) => !refused(rules, bets).has(code));
      const { expected } = exactly({ rules, bets, seed: 'all', shoes: 2, faults: possible });
      expect(new Set(expected.map(({ code }) => code))).toEqual(
        new Set(possible.concat(rules === 'nsw-crown@1' ? 'PR-07' : [])),
      );
    },
  );

  it.each([
    ...DOCUMENTS.flatMap((rules) => [
      { rules, bets: true },
      { rules, bets: false },
    ]),
  ])(
    'that are impossible under $rules (bets: $bets) are refused by name, with the reason',
    ({ rules, bets }) => {
      for (const code of refused(rules, bets && rulesNamed(rules).bets.size > 0)) {
        expect(() => simulated({ rules, bets, seed: 1, shoes: 1, faults: [code] })).toThrow(
          new RegExp(`^${code} cannot be injected: (it needs bets|${rules} )`),
        );
      }
    },
  );

  it.each(['TC-05', 'DL-16', 'RS-09', 'PY-03', 'DV-04', 'SH-02'])(
    'fall in the chosen coup (%s)',
    (code) => {
      const { findings } = exactly({
        rules: 'punto-banco@1',
        bets: true,
        seed: 'chosen',
        shoes: 2,
        faults: [`${code}@2/17`],
      });
      expect(findings.map(({ shoe, coup }) => [shoe.slice(-2), coup])).toEqual([['-2', 17]]);
    },
  );

  it('take the shoes in turn if none is chosen, and may be repeated', () => {
    const { expected } = exactly({
      rules: 'punto-banco@1',
      seed: 'turn',
      shoes: 3,
      faults: ['SH-10', 'SH-10', 'SH-10', 'TC-03', 'TC-03'],
    });
    expect(
      new Set(expected.filter(({ code }) => code === 'SH-10').map(({ shoe }) => shoe)).size,
    ).toBe(3);
    expect(expected).toHaveLength(5);
  });

  it.each([
    [['TC-5'], /^"TC-5" is not a fault/],
    [['TC-99'], /^TC-99 is not a finding code/],
    [['TC-05@0'], /^TC-05@0 does not fit: .* coups 1 to \d+/],
    [['TC-05@90'], /^TC-05@90 does not fit: .* coups 1 to \d+/],
    [['TC-05@2/3'], /shoe 2 does not exist/],
    [['SH-10@3'], /about the shoe as a whole/],
    [['SH-06', 'SH-07'], /SH-06 of the same shoe/],
    [['TC-05@4', 'TC-06@4'], /^TC-06@4 does not fit: coup 4/],
  ])('are refused if they do not fit: %j', (faults, why) => {
    expect(() => simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, faults })).toThrow(why);
  });

  it.each([93, 152, 366])(
    'end the shoe in a coup whose player hand stood by choice and that has no card left for the banker (seed %i)',
    (seed) => {
      const { findings } = exactly({ rules: 'chemin-de-fer@1', seed, shoes: 1, faults: ['SH-13'] });
      expect(findings.map(({ code }) => code)).toEqual(['SH-13']);
    },
  );

  it('are refused if there are more than a shoe has coups', () => {
    const faults = Array.from({ length: 80 }, () => 'TC-05');
    expect(() => simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, faults })).toThrow(
      /ask for more shoes/,
    );
  });

  it('keep the corrected record apart from a lost message, however close they fall', () => {
    exactly({
      rules: 'punto-banco@1',
      seed: 1,
      shoes: 1,
      faults: ['DV-04@10', 'PR-04@11', 'TC-05@12', 'PR-09@13'],
    });
    expect(() =>
      simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, faults: ['DV-04@10', 'DV-15@11'] }),
    ).toThrow(/^DV-15@11 does not fit/);
  });
});

describe('options of the simulator', () => {
  it.each([
    [{ shoes: 0 }, /shoes must be/],
    [{ shoes: 1.5 }, /shoes must be/],
    [{ decks: 7 }, /6 or 8 decks, not 7/],
    [{ start: 'noon' }, /"noon" is not a time/],
    [{ currency: 'XYZ' }, /XYZ is not a currency/],
    [{ table: '' }, /must not be empty/],
  ])('are refused at once if they are out of range: %j', (wrong, why) => {
    expect(() => simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, ...wrong })).toThrow(why);
  });
});
