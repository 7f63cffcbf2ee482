import {
  type Card,
  type Due,
  dueOfReadings,
  type HandName,
  isCard,
  type SeenCard,
  type Tableau,
  totals,
} from '#baccarat';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { type CardMark, nameOfCard, PlayingCard } from '../game/card.js';
import { useWords, type Words } from '../words/words.js';
import { tableauQuery } from './reads.js';

type DealtCard = Answers['CardAnswer'];

interface Props {
  readonly cards: readonly DealtCard[];
  /** The reference of the rule document, by which the next card is due. */
  readonly rules: string;
  /** The width of a card in px. */
  readonly width: number;
}

/** The cards of an open coup as they lie, their totals, and what is due next. */
export function OpenHands({ cards, rules, width }: Props): ReactNode {
  const words = useWords();
  const { data: tableau, error } = useQuery(tableauQuery(rules));
  const lying = (to: string): readonly DealtCard[] => cards.filter((card) => card.to === to);
  const aside = cards.filter(({ to }) => to !== 'player' && to !== 'banker');
  const hands = { player: lying('player'), banker: lying('banker') };
  return (
    <div className="tables-felt">
      <Hand side="player" cards={hands.player} width={width} />
      <Hand side="banker" cards={hands.banker} width={width} />
      {aside.length > 0 && (
        <p className="tables-aside">
          {words('tables.aside')}{' '}
          {aside.map(({ ref, card, ...marks }) => (
            <PlayingCard key={ref} card={cardOf(card)} width={24} marks={marksOf(marks)} />
          ))}
        </p>
      )}
      <p className="tables-due">
        {tableau
          ? dueInWords(words, hands, tableau)
          : error && words('tables.dueNotRead', { why: sentenceOf(error, words) })}
      </p>
    </div>
  );
}

interface HandProps {
  readonly side: HandName;
  readonly cards: readonly (Partial<DealtCard> & Pick<DealtCard, 'card'>)[];
  readonly width: number;
}

/** A hand: its cards, the third one sideways, and its total. */
export function Hand({ side, cards, width }: HandProps): ReactNode {
  const words = useWords();
  const seen = cards.map(({ card }): SeenCard => ({ card: cardOf(card) }));
  const total = totalInWords(seen);
  const names = seen.map(({ card }) => nameOfCard(words, card)).join(', ');
  return (
    <div
      className="tables-hand"
      role="group"
      aria-label={words('tables.hand', { side: words(`side.${side}`), cards: names, total })}
      data-side={side}
    >
      <span className="tables-hand-name">
        {words(`side.${side}`)} <strong>{total}</strong>
      </span>
      <span className="tables-cards">
        {seen.map(({ card }, i) => (
          <PlayingCard
            key={cards[i]?.ref ?? i}
            card={card}
            width={width}
            sideways={i >= 2}
            marks={marksOf(cards[i] ?? {})}
          />
        ))}
      </span>
    </div>
  );
}

/** An unread card can have any value, so a hand with one has no total. */
function totalInWords(hand: readonly SeenCard[]): string {
  if (hand.length === 0) return '–';
  const possible = totals(hand);
  return possible.length === 1 ? String(possible[0]) : '?';
}

/** Returns a card of an answer, or null where it was not read. */
export const cardOf = (text: string | null): Card | null => (isCard(text) ? text : null);

const MARKS = ['moved', 'exposed', 'carried'] as const;

const marksOf = (card: Partial<DealtCard>): CardMark[] => [
  ...MARKS.filter((mark) => card[mark]),
  ...(card.to === 'burn' ? (['burned'] as const) : []),
];

function dueInWords(
  words: Words,
  hands: Readonly<Record<HandName, readonly DealtCard[]>>,
  tableau: Tableau,
): string {
  const seen = (hand: readonly DealtCard[]): SeenCard[] =>
    hand.map(({ card }) => ({ card: cardOf(card) }));
  const due = dueOfReadings({ player: seen(hands.player), banker: seen(hands.banker) }, tableau);
  return due.length === 1 ? stepInWords(words, due[0] as Due) : words('tables.dueUnknown');
}

function stepInWords(words: Words, due: Due): string {
  if (due.step === 'outcome')
    return words('tables.dueOutcome', { side: words(`side.${due.outcome}`) });
  const key = due.optional ? 'tables.dueChoice' : 'tables.dueCard';
  return words(key, { side: words(`side.${due.to}`) });
}
