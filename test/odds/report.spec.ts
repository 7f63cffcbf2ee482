import { describe, expect, it } from '@jest/globals';
import { oddsReport } from '#baccarat';
import { BETS, CHEMIN_DE_FER, rulesOf } from './documents.js';

describe('the report of exact odds', () => {
  const report = oddsReport(rulesOf(BETS), 8);

  it('is plain JSON that survives writing and parsing', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('prints counts and edges as decimal strings', () => {
    expect(report).toMatchObject({
      rules: 'odds-case@1',
      decks: 8,
      total: '4998398275503360',
      outcomes: { player: '2230518282592256', banker: '2292252566437888', tie: '475627426473216' },
      bets: {
        player: {
          win: '2230518282592256',
          push: '475627426473216',
          lose: '2292252566437888',
          edge: '0.012350813289',
        },
        tie: { push: '0', edge: '0.143596287787' },
      },
    });
  });

  it('has the wins of each payout with the odds as published', () => {
    expect(report.bets['lucky-6']?.tiers.map(({ odds }) => odds)).toEqual(['12 to 1', '20 to 1']);
    expect(report.bets['lucky-6']?.tiers.reduce((sum, { win }) => sum + BigInt(win), 0n)).toBe(
      BigInt(report.bets['lucky-6']?.win ?? 0),
    );
  });

  it("names every bet in the document's order, and the choice if one was made", () => {
    expect(Object.keys(report.bets)).toEqual(BETS.map(({ id }) => id));
    expect(report).not.toHaveProperty('choice');
    expect(oddsReport(rulesOf(BETS, CHEMIN_DE_FER), 6, { choice: 'stand' }).choice).toBe('stand');
  });

  it('leaves out the edge on decided bets if every coup pushes', () => {
    const always = oddsReport(rulesOf([{ id: 'void', pushes: [{ when: {} }], pays: [] }]), 6).bets[
      'void'
    ];
    expect(always).toEqual({
      win: '0',
      push: '878869206895680',
      lose: '0',
      edge: '0.000000000000',
      edgeBeforeCommission: '0.000000000000',
      tiers: [],
    });
  });
});
