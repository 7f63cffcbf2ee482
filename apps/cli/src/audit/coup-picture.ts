import type { AuditedCoup, Finding, FindingCode } from '#audit';
import { totalOf } from '#baccarat';
import { stripVTControlCharacters } from 'node:util';
import { colours } from '../terminal/colours.js';
import { cardInColour, cardText } from './finding-words.js';
import { columns } from '../terminal/page.js';

type LaidCard = AuditedCoup['detail']['cards'][number];

/** The text of the mark under a card. */
const MARKS: Partial<Record<FindingCode, string>> = {
  'TC-01': 'drawn on a natural',
  'TC-02': 'drawn on a natural',
  'TC-04': 'drawn, must stand',
  'TC-06': 'drawn, must stand',
  'TC-08': 'drawn, must stand',
  'TC-09': 'drawn out of turn',
  'TC-11': 'a fourth card',
  'DL-01': 'drawn too early',
  'DL-02': 'out of place',
  'DL-05': 'lay face up',
  'DL-06': 'one card too many',
  'DL-07': 'one card too many, exposed',
  'SH-02': 'one copy too many',
  'DV-01': 'not read',
  'DV-11': 'entered by hand',
};

/** Findings about a card that should have been drawn: the hand that lacks it. */
const MISSING: Partial<Record<FindingCode, 'player' | 'banker'>> = {
  'TC-03': 'player',
  'TC-05': 'banker',
  'TC-07': 'banker',
};

const CARD = 5;
const MARGIN = '     ';
const LABEL = 9;

interface Slot {
  readonly card: LaidCard | 'missing';
  readonly marks: string[];
}

/**
 * Renders a coup as it lies on the table: both hands with their cards in order and their totals, a
 * mark with a few words under each card that a finding is about, then the outcome that the cards
 * make and the declared one.
 */
export function renderCoup(coup: AuditedCoup, findings: readonly Finding[]): string[] {
  const slots = slotsOf(coup, findings);
  return [
    ...handLines('Player', slots.player, findings),
    ...handLines('Banker', slots.banker, findings),
    ...(slots.other.length > 0 ? handLines('Other', slots.other, findings) : []),
    ...resultLines(coup, findings),
    ...noteLines(coup),
  ];
}

function slotsOf(
  { detail: { cards } }: AuditedCoup,
  findings: readonly Finding[],
): { player: Slot[]; banker: Slot[]; other: Slot[] } {
  const slots = { player: [] as Slot[], banker: [] as Slot[], other: [] as Slot[] };
  for (const card of cards) {
    const place = card.to === 'player' || card.to === 'banker' ? card.to : 'other';
    const at = slots[place].length;
    const marks = findings
      .filter(({ code, events }) => events.includes(card.ref) && isMarked(code, place, at))
      .map(({ code }) => `${code} ${MARKS[code]}`);
    slots[place].push({ card, marks });
  }
  for (const { code } of findings) {
    const hand = MISSING[code];
    if (hand && slots[hand].length < 3)
      slots[hand].push({ card: 'missing', marks: [`${code} not drawn, must draw`] });
  }
  return slots;
}

/**
 * Returns whether a code is shown under a card that its finding names, which is the `at`-th of its
 * hand.
 */
function isMarked(code: FindingCode, place: 'player' | 'banker' | 'other', at: number): boolean {
  if (code === 'TC-09') return place === 'banker';
  return code === 'TC-11' ? at === 3 : MARKS[code] !== undefined;
}

function handLines(name: string, slots: readonly Slot[], findings: readonly Finding[]): string[] {
  const faces = slots.map(({ card }) =>
    card === 'missing' ? colours.dim('__'.padEnd(CARD)) : cardInColour(card.card, CARD),
  );
  const calledWrong = findings.some(
    ({ code, hand }) => code === 'RS-01' && hand === name.toLowerCase(),
  );
  const line = `${MARGIN}${colours.bold(name.padEnd(LABEL))}${faces.join('')}${' '.repeat(Math.max(0, 3 - slots.length) * CARD)}${afterCards(name, slots)}${calledWrong ? colours.red('  ◀ RS-01 called otherwise') : ''}`;
  const words = [...new Set(slots.flatMap(({ marks }) => marks))];
  if (words.length === 0) return [line.trimEnd()];
  const arrows = slots
    .map(({ marks }) => (marks.length > 0 ? '▲' : '').padEnd(CARD))
    .join('')
    .trimEnd();
  return [
    line.trimEnd(),
    `${MARGIN}${' '.repeat(LABEL)}${colours.red(`${arrows} ${words.join('; ')}`)}`,
  ];
}

/** Returns a hand's total or, for cards on no hand, where each lies. */
function afterCards(name: string, slots: readonly Slot[]): string {
  const laid = slots.flatMap(({ card }) => (card === 'missing' ? [] : [card]));
  if (name === 'Other')
    return laid
      .map(
        ({ to }) =>
          ({ burn: 'burned', discard: 'discarded', next: 'carried over' })[to as string] ??
          'on no hand',
      )
      .join(', ');
  const cards = laid.map(({ card }) => card);
  const read = cards.flatMap((card) => (card === null ? [] : [card]));
  return colours.bold(read.length < cards.length ? '?' : String(totalOf(read)));
}

function resultLines(
  { outcome, kind, state, detail: { cards, declared } }: AuditedCoup,
  findings: readonly Finding[],
): string[] {
  const unknown = cards.some(({ card }) => card === null)
    ? 'What the cards make is not known.'
    : 'The cards do not make an outcome.';
  const made = outcome === null ? unknown : `The cards make it ${colours.bold(outcome)}.`;
  const wrong = findings.find(({ code }) =>
    ['RS-02', 'RS-03', 'RS-05', 'RS-07', 'RS-08'].includes(code),
  );
  const said = `${declared.length === 0 ? 'No outcome was declared.' : `Declared: ${declarations(declared)}.`}${wrong ? colours.red(` ◀ ${wrong.code}`) : ''}`;
  const sentences = [
    made,
    said,
    ...(kind === 'normal' ? [] : [`A ${kind} coup.`]),
    ...(state === 'void' ? ['Declared void.'] : []),
  ];
  const together = `${MARGIN}${sentences.join(' ')}`;
  return stripVTControlCharacters(together).length <= columns()
    ? [together]
    : sentences.map((sentence) => `${MARGIN}${sentence}`);
}

/** Renders declarations: `banker (device, dealer)`; `player (dealer), then banker (dealer)`. */
function declarations(declared: AuditedCoup['detail']['declared']): string {
  const turns: { outcome: string; by: string[] }[] = [];
  for (const { outcome, by } of declared) {
    const last = turns.at(-1);
    if (last?.outcome === outcome) last.by.push(by);
    else turns.push({ outcome, by: [by] });
  }
  return turns
    .map(({ outcome, by }) => `${colours.bold(outcome)} (${by.join(', ')})`)
    .join(', then ');
}

/** Renders which cards were carried over from the coup before or moved on the table. */
function noteLines({ detail: { cards } }: AuditedCoup): string[] {
  const notes = cards.flatMap(({ card, carried, moved }) => [
    ...(carried ? [`${cardText(card)} was carried over from an earlier coup`] : []),
    ...(moved ? [`${cardText(card)} was moved`] : []),
  ]);
  return notes.length > 0 ? [`${MARGIN}${notes.join('; ')}.`] : [];
}
