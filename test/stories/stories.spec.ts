import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { heard, readStory, told } from '../kit/story.js';

const folder = new URL('./', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.story'))
  .sort();
const stories = files.map((file) => readStory(readFileSync(new URL(file, folder), 'utf8'), file));

describe('recorded coups', () => {
  it.each(stories.map((story) => [story.title, story] as const))('%s', (_, story) => {
    expect(heard(story)).toEqual(told(story));
  });

  it('have distinct titles', () => {
    expect(new Set(stories.map(({ title }) => title)).size).toBe(files.length);
  });
});

describe('the form of a story', () => {
  const refusal = (text: string): string => {
    try {
      readStory(text, 'a.story');
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['an unknown word', '# A title\n\nplayers: 9S', 'a.story:3: unknown word "players:"'],
    [
      'a word named like a property of every object',
      'constructor: 9S',
      'a.story:1: unknown word "constructor:"',
    ],
    ['a line without a word', '# A title\n9S 4D', 'a.story:2: "9S 4D" is not a line of a story'],
    [
      'an impossible card',
      'player: 9S 1D\nbanker: KH 6S\nfinds: nothing',
      'a.story:2: "1D" is not a card',
    ],
    [
      'a player hand without a banker hand',
      'player: 9S 4D\ndeclared: player',
      'a.story:2: a "banker:" line must follow the "player:" line',
    ],
    [
      'rules that come after the first card',
      'player: 9S 4D\nbanker: KH 6S\nrules: super-6@1',
      'a.story:3: "rules:" comes before anything that happens in the shoe',
    ],
    [
      'a kind that comes after the first card',
      'player: 9S 4D\nbanker: KH 6S\nkind: dummy',
      'a.story:3: "kind:" comes before anything that happens in the coup',
    ],
    [
      'an amount with fractions of a cent',
      'bet: seat 1 banker 2.505',
      'a.story:1: "seat 1 banker 2.505" is not like "seat 1 banker 100"',
    ],
    [
      'a moved card that was never drawn',
      'player: 9S 4D\nbanker: KH 6S\nmoved: 2C to next',
      'a.story:3: 2C was not drawn',
    ],
    [
      'a finding that is not a code',
      'player: 9S 4D\nbanker: KH 6S\nfinds: mistakes',
      'a.story:3: "mistakes" is not a finding',
    ],
    [
      'a story without a line of findings',
      'player: 9S 4D\nbanker: KH 6S',
      'a.story: no line says what it "finds:"',
    ],
  ])('rejects %s, with file and line', (_, text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it('accepts amounts in whole units or with cents', () => {
    const { events } = readStory(
      'bet: seat 1 banker 100\nbet: seat 2 player 2.50\nfinds: nothing',
      'a.story',
    );
    expect(
      events.filter(({ type }) => type === 'shoeprint.bet-placed.v1').map(({ data }) => data),
    ).toEqual([
      { seat: 1, bet: 'banker', amount: 10_000 },
      { seat: 2, bet: 'player', amount: 250 },
    ]);
  });

  it('distinguishes a wrong verdict from a right one', () => {
    const story = readStory(
      'player: 9S 4D 8C\nbanker: KH 6S 2D\ndeclared: banker\nfinds: TC-07',
      'a.story',
    );
    expect(heard(story)).not.toEqual(told(story));
  });
});
