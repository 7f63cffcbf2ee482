import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { oddsOf, readRules, type RuleDocument } from '#baccarat';

const folder = new URL('../../rules/', import.meta.url);
const published = readdirSync(folder).filter((name) => /@\d+\.json$/.test(name));
const read = (name: string) =>
  readRules(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as RuleDocument);
const isFree = (name: string): boolean => read(name).tableau.player.includes('optional');

describe('the published rule documents', () => {
  it('exist', () => expect(published).toContain('punto-banco@1.json'));

  it.each(published)(
    'have odds for every bet of %s, in which every sequence wins, pushes or loses once',
    (name) => {
      const rules = read(name);
      const { total, bets } = oddsOf(rules, 8, isFree(name) ? { choice: 'draw' } : {});
      expect([...bets.keys()]).toEqual([...rules.bets.keys()]);
      for (const { win, tiers, push, lose } of bets.values()) {
        expect(win + push + lose).toBe(total);
        expect(tiers.every((count) => count > 0n)).toBe(true);
      }
    },
  );

  it.each(published.filter((name) => !isFree(name)))(
    'have the published counts of outcomes under %s, which uses the standard tableau',
    (name) => {
      expect(oddsOf(read(name), 8).outcomes).toEqual({
        banker: 2_292_252_566_437_888n,
        player: 2_230_518_282_592_256n,
        tie: 475_627_426_473_216n,
      });
    },
  );

  it('have no odds for chemin de fer without a choice for its optional cells', () => {
    expect(() => oddsOf(read('chemin-de-fer@1.json'), 8)).toThrow('set the option choice');
  });
});
