import { type Card, rankOf, type Suit, suitOf } from '#baccarat';
import type { ReactNode } from 'react';
import { usePreferences } from '../settings/preferences.js';
import { useWords, type Words } from '../words/words.js';
import './card.css';

/** The shapes of the suits, in a box of 24 × 24. */
const SHAPES: Readonly<Record<Suit, string>> = {
  S: 'M12 2C7 7.2 3 10.3 3 14.2a4.3 4.3 0 0 0 4.3 4.3c1.6 0 3-.8 3.8-2.1-.2 2.2-1.1 4-2.6 5.6h7c-1.5-1.6-2.4-3.4-2.6-5.6.8 1.3 2.2 2.1 3.8 2.1a4.3 4.3 0 0 0 4.3-4.3C21 10.3 17 7.2 12 2Z',
  H: 'M12 21.5C5 16 2 12.3 2 8.4 2 5.3 4.3 3 7.1 3 9.1 3 10.9 4.1 12 6c1.1-1.9 2.9-3 4.9-3C19.7 3 22 5.3 22 8.4c0 3.9-3 7.6-10 13.1Z',
  D: 'M12 1.5 20 12 12 22.5 4 12Z',
  C: 'M12 2a4.6 4.6 0 0 0-3.9 7A4.6 4.6 0 1 0 10.9 16c-.1 2.4-1 4.4-2.4 6h7c-1.4-1.6-2.3-3.6-2.4-6a4.6 4.6 0 1 0 2.8-7A4.6 4.6 0 0 0 12 2Z',
};

/** Under this width a card shows its rank over its suit, and nothing else. */
const SMALL_WIDTH = 40;

/** What happened to a card after it was dealt. Each has a mark and a word. */
export type CardMark = 'moved' | 'exposed' | 'carried' | 'burned';

/** The sign of each mark, in a box of 10 × 10: an arrow, a ring, a step over, a cross. */
const SIGNS: Readonly<Record<CardMark, string>> = {
  moved: 'M0 3.5H5V.5L10 5 5 9.5V6.5H0Z',
  exposed: 'M5 .5a4.5 4.5 0 1 0 .01 0ZM5 3a2 2 0 1 1-.01 0Z',
  carried: 'M0 9.5V.5L4.5 5ZM5 9.5V.5L9.5 5Z',
  burned: 'M2 0 5 3 8 0 10 2 7 5 10 8 8 10 5 7 2 10 0 8 3 5 0 2Z',
};

interface Props {
  /** The card, or null if no device could read it. */
  readonly card: Card | null;
  /** The width in px, from 24 to 96. A card that lies sideways is that high. */
  readonly width: number;
  /** Third cards lie sideways. */
  readonly sideways?: boolean;
  /** Whether it is the card that a finding is about. */
  readonly faulty?: boolean;
  readonly marks?: readonly CardMark[];
}

/** A playing card, drawn and named in the chosen language. */
export function PlayingCard({ card, width, sideways, faulty, marks = [] }: Props): ReactNode {
  const words = useWords();
  const { deck } = usePreferences();
  const isSmall = width < SMALL_WIDTH;
  const [w, h] = isSmall ? [24, 33.6] : [60, 84];
  const height = (width * h) / w;
  const name = [nameOfCard(words, card), ...marks.map((mark) => words(`card.${mark}`))];
  const [outerWidth, outerHeight] = sideways ? [height, width] : [width, height];
  return (
    <svg
      role="img"
      aria-label={name.join(', ')}
      className="playing-card"
      data-deck={deck}
      data-suit={card ? suitOf(card) : undefined}
      data-faulty={faulty ? true : undefined}
      width={outerWidth}
      height={outerHeight}
      viewBox={sideways ? `0 0 ${h} ${w}` : `0 0 ${w} ${h}`}
    >
      <g transform={sideways ? `translate(${h} 0) rotate(90)` : undefined}>
        <rect
          className="face"
          x="0.75"
          y="0.75"
          width={w - 1.5}
          height={h - 1.5}
          rx={isSmall ? 2.5 : 5}
        />
        {card ? <Face card={card} isSmall={isSmall} /> : <Unread w={w} h={h} />}
        {marks.map((mark, place) => (
          <path
            key={mark}
            className="card-mark"
            d={SIGNS[mark]}
            transform={`translate(${w / 15} ${h - (place + 1.25) * (w / 4)}) scale(${w / 45})`}
          />
        ))}
        {faulty && (
          <rect
            className="bracket"
            x="1.5"
            y="1.5"
            width={w - 3}
            height={h - 3}
            rx={isSmall ? 2.5 : 5}
          />
        )}
      </g>
    </svg>
  );
}

function Face({ card, isSmall }: { readonly card: Card; readonly isSmall: boolean }): ReactNode {
  const rank = rankOf(card) === 'T' ? '10' : rankOf(card);
  const shape = SHAPES[suitOf(card)];
  const fit =
    rank === '10'
      ? { textLength: isSmall ? 14 : 18, lengthAdjust: 'spacingAndGlyphs' as const }
      : {};
  if (isSmall)
    return (
      <g className="pips">
        <text x="12" y="15" fontSize="16" textAnchor="middle" {...fit}>
          {rank}
        </text>
        <path d={shape} transform="translate(5.5 18) scale(.54)" />
      </g>
    );
  return (
    <g className="pips">
      <text x="15" y="27" fontSize="26" textAnchor="middle" {...fit}>
        {rank}
      </text>
      <path d={shape} transform="translate(6 31) scale(.75)" />
      <path d={shape} transform="translate(20 42) scale(1.5)" />
    </g>
  );
}

function Unread({ w, h }: { readonly w: number; readonly h: number }): ReactNode {
  return (
    <g className="unread">
      <rect x="3" y="3" width={w - 6} height={h - 6} rx="2" />
      <text x={w / 2} y={h / 2} fontSize={w / 2} textAnchor="middle" dominantBaseline="central">
        ?
      </text>
    </g>
  );
}

/** Returns the name of a card in words: "nine of spades". */
export const nameOfCard = (words: Words, card: Card | null): string =>
  card
    ? words('card.name', {
        rank: words(`rank.${rankOf(card)}`),
        suit: words(`suit.${suitOf(card)}`),
      })
    : words('card.unread');
