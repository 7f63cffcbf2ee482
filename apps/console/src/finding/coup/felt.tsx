import { isCard } from '#baccarat';
import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Button } from '../../controls/button.js';
import { type CardMark, nameOfCard, PlayingCard } from '../../game/card.js';
import { useFormats } from '../../words/formats.js';
import { type Key, useWords, type Words } from '../../words/words.js';
import type { Playback } from './playback.js';
import type { Coup, Step } from './whole.js';

interface Props {
  readonly coup: Coup;
  readonly playback: Playback;
  /** The index of the card that the screen is about, or -1. */
  readonly faulty: number;
}

interface FeltProps extends Props {
  /** The hand that lacks a card, if that is the fault. */
  readonly missing: (typeof HANDS)[number] | undefined;
}

/** A card where it lies, with its number in the order drawn. */
interface Laid extends Step {
  readonly index: number;
}

const CARD_WIDTH = 56;
const HANDS = ['player', 'banker'] as const;
/** From this card on, a hand's cards lie sideways. */
const THIRD = 2;

/** The table: both hands as they lay, other cards with where they went, outcomes, and the steps. */
export function Felt({ coup, playback, faulty, missing }: FeltProps): ReactNode {
  const words = useWords();
  const laid = coup.steps.map((step, index): Laid => ({ ...step, index }));
  const aside = laid.filter((card) => !isOnHand(card));
  return (
    <section className="felt" aria-label={words('finding.table')}>
      <div className="felt-hands">
        {HANDS.map((side) => (
          <Hand
            key={side}
            side={side}
            cards={laid.filter(({ to }) => to === side)}
            isMissing={missing === side}
            {...{ playback, faulty }}
          />
        ))}
      </div>
      {laid.length === 0 && <p>{words('finding.noCards')}</p>}
      {aside.length > 0 && (
        <div className="felt-aside">
          {aside.map((card) => (
            <LaidCard key={card.ref} card={card} {...{ playback, faulty }} />
          ))}
        </div>
      )}
      <Outcomes coup={coup} />
      {laid.length > 0 && <Transport coup={coup} playback={playback} />}
    </section>
  );
}

interface HandProps extends Omit<Props, 'coup'> {
  readonly side: (typeof HANDS)[number];
  readonly cards: readonly Laid[];
  /** Whether a card is missing here, and that is the fault. */
  readonly isMissing: boolean;
}

function Hand({ side, cards, isMissing, playback, faulty }: HandProps): ReactNode {
  const words = useWords();
  const shown = cards.filter(({ index }) => index < playback.step);
  const last = shown.at(-1);
  const total = last ? (last.total ?? '?') : '–';
  const spoken = words('finding.hand', {
    side: words(`side.${side}`),
    cards: shown.map(({ card }) => nameOf(words, card)).join(', '),
    total: String(total),
  });
  return (
    <div className="felt-hand" data-side={side} role="group" aria-label={spoken}>
      <p className="felt-side">
        <span>{words(`side.${side}`)}</span> <strong className="felt-total">{total}</strong>
      </p>
      <div className="felt-cards">
        {cards.map((card, place) => (
          <LaidCard
            key={card.ref}
            card={card}
            sideways={place >= THIRD}
            {...{ playback, faulty }}
          />
        ))}
        {isMissing && (
          <span className="felt-card" data-faulty>
            <span className="felt-face felt-missing" />
            <span className="felt-words">
              <strong>▲ {words('finding.missingCard')}</strong>
            </span>
          </span>
        )}
      </div>
    </div>
  );
}

interface CardProps extends Omit<Props, 'coup'> {
  readonly card: Laid;
  readonly sideways?: boolean;
}

function LaidCard({ card, sideways = false, playback, faulty }: CardProps): ReactNode {
  const words = useWords();
  const { index } = card;
  const isFaulty = index === faulty;
  const isShown = index < playback.step;
  const place = placeOf(words, card.to);
  const marks = marksOf(card);
  const marked = marks.map((mark) => words(`card.${mark}`));
  return (
    <AriaButton
      className="felt-card"
      data-faulty={isFaulty || undefined}
      data-shown={isShown || undefined}
      data-current={index === playback.step - 1 || undefined}
      aria-current={index === playback.step - 1 && 'step'}
      onPress={() => playback.show(index + 1)}
    >
      <span className="only-spoken">
        {words('finding.cardAt', {
          number: index + 1,
          card: [nameOf(words, card.card), ...marked].join(', '),
          place,
          faulty: isFaulty ? 'yes' : 'no',
        })}
      </span>
      <span className="felt-face" aria-hidden="true">
        <PlayingCard
          card={isCard(card.card) ? card.card : null}
          width={CARD_WIDTH}
          sideways={sideways}
          faulty={isFaulty}
          marks={marks}
        />
      </span>
      <span className="felt-words" aria-hidden="true">
        {[isOnHand(card) ? '' : place, ...marked].filter(Boolean).join(', ')}
        {isFaulty && <strong>▲ {words('finding.here')}</strong>}
      </span>
    </AriaButton>
  );
}

const isOnHand = ({ to }: Step): boolean => to === 'player' || to === 'banker';

const nameOf = (words: Words, card: string | null): string =>
  nameOfCard(words, isCard(card) ? card : null);

/** Returns where a card lies, in words. */
export const placeOf = (words: Words, to: string | null): string =>
  words.find(`side.${to}`) ?? words.find(`finding.place.${to}`) ?? words('finding.place.none');

const marksOf = ({ moved, exposed, carried, to }: Step): CardMark[] => [
  ...(moved ? (['moved'] as const) : []),
  ...(exposed ? (['exposed'] as const) : []),
  ...(carried ? (['carried'] as const) : []),
  ...(to === 'burn' ? (['burned'] as const) : []),
];

/** What was declared, and by whom, against what the cards say. */
function Outcomes({ coup }: { readonly coup: Coup }): ReactNode {
  const words = useWords();
  const byCards = coup.outcome;
  return (
    <dl className="felt-outcomes">
      {coup.declared.length === 0 && (
        <div>
          <dt>{words('finding.declared')}</dt>
          <dd>{words('finding.nothingDeclared')}</dd>
        </div>
      )}
      {coup.declared.map(({ outcome, by }, i) => (
        <div key={i} data-differs={(byCards !== null && outcome !== byCards) || undefined}>
          <dt>{words('finding.declaredBy', { by: sayer(words, by) })}</dt>
          <dd>
            {sideOf(words, outcome)}
            {byCards !== null && outcome !== byCards && <strong> ≠</strong>}
          </dd>
        </div>
      ))}
      <div>
        <dt>{words('finding.byCards')}</dt>
        <dd>{byCards === null ? words('finding.unknown') : sideOf(words, byCards)}</dd>
      </div>
    </dl>
  );
}

const sayer = (words: Words, by: string): string => words.find(`finding.by.${by}`) ?? by;

/** Returns an outcome in words. */
export const sideOf = (words: Words, outcome: string): string =>
  words.find(`side.${outcome}`) ?? outcome;

/** Steps and plays the cards. Each button has a key. */
function Transport({ coup, playback }: Omit<Props, 'faulty'>): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { step, steps, show } = playback;
  const at = step === 0 ? 0 : coup.steps[step - 1]?.ms;
  const end = coup.steps.at(-1)?.ms;
  const button = (label: Key, sign: string, run: () => void): ReactNode => (
    <Button aria-label={words(label)} onPress={run}>
      <span aria-hidden="true">{sign}</span>
    </Button>
  );
  return (
    <div className="felt-transport no-print" role="toolbar" aria-label={words('finding.steps')}>
      {button('finding.first', '|◀', () => show(0))}
      {button('finding.back', '◀', () => show(step - 1))}
      {playback.isPlaying
        ? button('finding.pause', '❚❚', playback.togglePlay)
        : button('finding.play', '▶', playback.togglePlay)}
      {button('finding.forward', '▶|', () => show(step + 1))}
      {button('finding.last', '▶▶|', () => show(steps))}
      <Button
        aria-label={words('finding.speed', { speed: playback.speed })}
        onPress={playback.changeSpeed}
      >
        {playback.speed}×
      </Button>
      <span className="felt-clock">
        {words('finding.stepOf', { step, steps })}
        {typeof at === 'number' && typeof end === 'number' && (
          <>
            {' '}
            · {formats.clock(at, true)} / {formats.clock(end, true)}
          </>
        )}
      </span>
    </div>
  );
}
