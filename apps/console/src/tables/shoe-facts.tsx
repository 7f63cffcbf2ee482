import { RANKS } from '#baccarat';
import type { ReactNode } from 'react';
import { useMay } from '../app/session/me.js';
import { nameOfCard } from '../game/card.js';
import { type Formats, useFormats } from '../words/formats.js';
import { type Key, useWords, type Words } from '../words/words.js';
import { cardOf } from './hands.js';
import type { Shoe } from './reads.js';

const DECK_CARDS = 52;

/** What is known of a shoe as a whole: when it ran, its cards, and the cards left of each rank. */
export function ShoeFacts({ shoe }: { readonly shoe: Shoe }): ReactNode {
  const words = useWords();
  return (
    <section className="tables-facts" aria-label={words('shoe.facts')}>
      <dl>
        {useFacts(shoe).map(([name, value]) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CardsLeft left={shoe.leftByRank} />
    </section>
  );
}

function useFacts(shoe: Shoe): readonly (readonly [Key, string])[] {
  const words = useWords();
  const formats = useFormats();
  const seesFindings = useMay('read-findings');
  const { decks, cards, unread, remaining, closedAt, coupLines, raised = [] } = shoe;
  const all = { cards: formats.number(cards), all: formats.number(decks * DECK_CARDS) };
  const inHands = coupLines.reduce((sum, each) => sum + each.player.length + each.banker.length, 0);
  const gaps = raised.filter(({ code, status }) => code === 'DV-04' && status === 'standing');
  const isWhole = coupLines.length === shoe.coups;
  return [
    ['shoe.day', formats.day(shoe.gamingDay)],
    ['shoe.opened', formats.dateTime(shoe.openedAt)],
    ...(closedAt === null ? [] : [['shoe.closedAt', formats.dateTime(closedAt)] as const]),
    ['shoe.coupsDealt', formats.number(shoe.coups)],
    ['shoe.drawn', words('shoe.cards', all)],
    ['shoe.unread', formats.number(unread)],
    ['shoe.burn', burnInWords(shoe.burn, words, formats)],
    ['shoe.cutCard', cutCardInWords(shoe, words)],
    ...(isWhole ? [['shoe.outside', formats.number(cards - inHands)] as const] : []),
    ...(remaining === null ? [] : [['shoe.remaining', formats.number(remaining)] as const]),
    ...(seesFindings ? [['shoe.gaps', formats.number(gaps.length)] as const] : []),
  ];
}

/** What is not known or did not happen. */
const NOTHING = '–';

function burnInWords(burn: Shoe['burn'], words: Words, formats: Formats): string {
  if (!burn) return NOTHING;
  const { cards, permitted, byFirstCard } = burn;
  const [first] = cards;
  if (first === undefined) return words('shoe.burn.none');
  const count = formats.number(cards.length);
  const card = nameOfCard(words, cardOf(first));
  if (permitted === null) return words('shoe.burn.first', { count, card });
  const said = { count, card, permitted: formats.anyOf(permitted) };
  return words(byFirstCard ? 'shoe.burn.by' : 'shoe.burn.of', said);
}

function cutCardInWords({ cutCard, closed }: Shoe, words: Words): string {
  if (!cutCard) return NOTHING;
  const { coup, inside, cardsLeft: left, coupsLeft } = cutCard;
  const showed =
    coup === null
      ? words('shoe.cut.first', { left })
      : words(inside ? 'shoe.cut.inside' : 'shoe.cut.after', { coup, left });
  return closed ? showed : `${showed} · ${words('shoe.coupsLeft', { count: coupsLeft })}`;
}

/** How many cards of each rank are left. The api leaves it out where the reader may not see it. */
function CardsLeft({ left }: { readonly left: readonly number[] | null | undefined }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  if (!left) return <p className="muted">{words('shoe.leftUnknown')}</p>;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={words('shoe.left')}>
      <table className="tables-left">
        <caption>{words('shoe.left')}</caption>
        <thead>
          <tr>
            {RANKS.map((rank) => (
              <th key={rank} scope="col" aria-label={words(`rank.${rank}`)}>
                {rank === 'T' ? '10' : rank}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {RANKS.map((rank, i) => (
              <td key={rank} data-wrong={(left[i] ?? 0) < 0 || undefined}>
                {formats.number(left[i] ?? 0)}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}
