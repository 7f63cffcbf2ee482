import { lossBits } from '../findings/catalogue.js';
import { raise } from '../findings/findings.js';
import type { Outage } from '../findings/finding.js';
import type { AnyEvent } from '../events/events.js';
import type { Away, Coup, Shoe } from '../state.js';
import { between, loseOfCoup, loseOfShoe, outageFound } from './gap.js';

/**
 * Takes from a coup that opens what the sources that are offline may hide of it. Raises DV-06 for
 * one that went offline while no shoe was open. Whether its cards were seen is not known yet.
 */
export function meetOutages(shoe: Shoe, coup: Coup): void {
  if (shoe.away.length === 0) return;
  loseOfAway(shoe);
  for (const away of shoe.away) {
    if (!away.isRaised) raise(shoe, coup, 'DV-06', outageFound(away));
    const lost = between(away.sent) & ~PLAY;
    if (lost !== 0) loseOfCoup(shoe, coup, holeOf(away), lost);
    if (away.sent.includes('play')) shoe.openingLost = outageOf(away);
  }
  shoe.away = shoe.away.map((away) => ({ ...away, isRaised: true }));
  coup.unseen = shoe.away;
}

/** Takes from a shoe as a whole what the sources that are offline may hide of it. */
export function loseOfAway(shoe: Shoe): void {
  for (const away of shoe.away) loseShoeTo(shoe, away);
}

function loseShoeTo(shoe: Shoe, away: Away): void {
  loseOfShoe(shoe, { ...holeOf(away), sent: away.sent, keepsShoe: false }, away.since);
}

/**
 * Takes a game card of a coup that opened while sources were offline. If another source drew it,
 * the coup was seen and is judged. If one of them drew it, earlier cards may be missing.
 */
export function seeCard(shoe: Shoe, coup: Coup, { source }: AnyEvent): void {
  if (coup.unseen.length === 0) return;
  coup.unseen = coup.unseen.filter((away) => away.source === source);
  loseUnseen(shoe, coup);
}

/**
 * Loses the play of a coup that opened while sources were offline and whose cards no other source
 * has drawn. Called before anything is judged that rests on its cards.
 */
export function loseUnseen(shoe: Shoe, coup: Coup): void {
  const { unseen } = coup;
  if (unseen.length === 0) return;
  coup.unseen = [];
  for (const away of unseen) loseOfCoup(shoe, coup, holeOf(away), PLAY);
}

/**
 * Takes an event of a source that was offline: it is heard again. If it comes online and says that
 * it missed nothing, an open coup without a drawn card is judged after all.
 */
export function hearAgain(shoe: Shoe, event: AnyEvent): void {
  const away = shoe.away.find(({ source }) => source === event.source);
  if (!away || event.type === 'device-offline') return;
  shoe.away = shoe.away.filter((each) => each !== away);
  const missedNothing = event.type === 'device-online' && event.data.missed === 0;
  if (missedNothing) {
    const { coup } = shoe;
    if (coup) coup.unseen = coup.unseen.filter(({ source }) => source !== event.source);
  } else if (away.isRaised) {
    const { sent, since } = away;
    loseShoeTo(shoe, away);
    shoe.ahead.after.push({ ...holeOf(away), sent, since });
  }
}

/** Returns the sources that are still offline when the next shoe opens, if they drew in this one. */
export const awayAfter = ({ away, draws }: Shoe): Away[] =>
  away
    .filter(({ source }) => draws.some(({ event }) => event.source === source))
    .map((each) => ({ ...each, since: -1 }));

const PLAY = lossBits(['play']);

const outageOf = ({ source, event, says }: Outage): Outage => ({ source, event, says });
const holeOf = (away: Away) => ({ missing: outageOf(away), after: away.event });
