import { outcomesOfReadings, possibleFacts, specialsOf, totals, type Outcome } from '#baccarat';
import { hides, type FindingCode } from '../findings/catalogue.js';
import { cardsOn, handsOf, isCardDue } from '../coup/coup.js';
import { referenceOf, type AnyEvent, type EventOf, type Hand } from '../events/events.js';
import { leftOpen, raise } from '../findings/findings.js';
import { judgeDraws, totalText } from './drawing.js';
import { noteOutcome } from './settlement.js';
import type { Coup, Declaration, Shoe } from '../state.js';

/** Judges the called total of a hand against its cards at that moment (RS-01, once a coup). */
export function callHand(shoe: Shoe, coup: Coup, event: EventOf<'hand-called'>): void {
  judgeTotal(shoe, coup, event, { hand: event.data.hand, said: event.data.total });
}

/** Records a declared outcome. Judges its totals now, and the rest once the hands are final. */
export function declareOutcome(shoe: Shoe, coup: Coup, event: EventOf<'outcome-declared'>): void {
  const { by, outcome, player, banker } = event.data;
  judgeShort(shoe, coup, event);
  judgeDraws(shoe, coup, 'declared', event);
  if (player !== undefined) judgeTotal(shoe, coup, event, { hand: 'player', said: player });
  if (banker !== undefined) judgeTotal(shoe, coup, event, { hand: 'banker', said: banker });
  const former = coup.declarations.findLast((declaration) => declaration.event.data.by === by);
  if (
    former &&
    former.handVersion === coup.handVersion &&
    former.event.data.outcome !== outcome &&
    !coup.short
  ) {
    raise(shoe, coup, 'RS-08', {
      by,
      events: [referenceOf(former.event), referenceOf(event)],
      expected: former.event.data.outcome,
      observed: outcome,
      message: `The ${by} declared ${former.event.data.outcome}, then ${outcome}, with no draw or move between.`,
    });
  }
  coup.declarations.push({ event, handVersion: coup.handVersion });
  if (coup.outcomeAt === null) {
    coup.outcomeAt = event;
    noteOutcome(shoe, coup, event);
  }
}

/**
 * Raises DL-04 if a hand has fewer than two cards when an outcome is declared or the coup ends.
 * Nothing that depends on the hands is judged in such a coup.
 */
export function judgeShort(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (coup.short || (coup.player.length >= 2 && coup.banker.length >= 2)) return;
  if (hides(coup.lost, 'DL-04')) return;
  coup.short = true;
  raise(shoe, coup, 'DL-04', {
    events: [...coup.cards.map(({ event }) => referenceOf(event)), referenceOf(because)],
    expected: 'two cards or more on each hand',
    observed: `player ${coup.player.length}, banker ${coup.banker.length}`,
    message: `The coup was left with ${coup.player.length} cards on the player hand and ${coup.banker.length} on the banker hand.`,
  });
}

function judgeTotal(
  shoe: Shoe,
  coup: Coup,
  event: AnyEvent,
  { hand, said }: { readonly hand: Hand; readonly said: number },
): void {
  if (coup.short || hides(coup.lost, 'RS-01')) return;
  const possible = totals(cardsOn(coup, hand));
  if (possible.length > 1 || coup.unplaced) return leftOpen(shoe, coup, ['RS-01']);
  if (possible[0] === said) return;
  raise(shoe, coup, 'RS-01', {
    hand,
    events: [...cardsOn(coup, hand).map((laid) => referenceOf(laid.event)), referenceOf(event)],
    expected: String(possible[0]),
    observed: String(said),
    message: `The ${hand} hand was called ${said}; its cards make ${possible[0]}.`,
  });
}

/**
 * Judges the result of a coup that is over or void, on its final hands (RS-02, RS-03, RS-05, and
 * RS-07 unless it is void). If a draw or a move changed the hands after a declaration, only the
 * totals of the declaration are judged.
 */
export function judgeResult(shoe: Shoe, coup: Coup, because: AnyEvent): void {
  if (coup.short || hides(coup.lost, 'RS-02')) return;
  if (coup.declarations.length === 0) {
    if (
      coup.kind === 'normal' &&
      coup.state !== 'void' &&
      shoe.reports.outcomes &&
      !(shoe.drawn >= 52 * shoe.decks && isCardDue(coup, shoe))
    ) {
      raise(shoe, coup, 'RS-07', {
        events: [coup.ref, referenceOf(because)],
        expected: 'an outcome',
        observed: 'none',
        message: 'The coup ended with no outcome declared.',
      });
    }
    return;
  }
  if (coup.player.length < 2 || coup.banker.length < 2) return;
  if (coup.unplaced) return leaveOpen(shoe, coup);
  const possible = outcomesOfReadings(coup);
  for (const declaration of coup.declarations) {
    if (declaration.handVersion !== coup.handVersion) continue;
    judgeOutcome(shoe, coup, declaration, possible);
    judgeSpecials(shoe, coup, declaration);
  }
}

/**
 * Lists what was declared on the final hands as unjudgeable, because the hand of one card
 * is unknown.
 */
function leaveOpen(shoe: Shoe, coup: Coup): void {
  for (const {
    event: { data },
    handVersion,
  } of coup.declarations) {
    if (handVersion !== coup.handVersion) continue;
    const codes: FindingCode[] = [
      data.by === 'dealer' ? 'RS-02' : 'RS-03',
      ...(data.specials ? ['RS-05' as const] : []),
    ];
    leftOpen(shoe, coup, codes);
  }
}

function judgeOutcome(
  shoe: Shoe,
  coup: Coup,
  { event }: Declaration,
  possible: readonly Outcome[],
): void {
  const { outcome, by } = event.data;
  const code: FindingCode = by === 'dealer' ? 'RS-02' : 'RS-03';
  if (possible.includes(outcome)) {
    if (possible.length > 1) leftOpen(shoe, coup, [code]);
    return;
  }
  const expected = possible.join(' or ');
  const made = `player ${totalText(coup.player)}, banker ${totalText(coup.banker)}`;
  raise(shoe, coup, code, {
    events: [referenceOf(event)],
    expected,
    observed: outcome,
    message: `The ${by} declared ${outcome}; the cards (${made}) make it ${expected}.`,
  });
}

const same = (said: readonly string[], made: readonly string[]): boolean =>
  said.length === made.length && made.every((name) => said.includes(name));

function judgeSpecials(shoe: Shoe, coup: Coup, { event }: Declaration): void {
  const said = event.data.specials;
  if (said === undefined) return;
  const possible = possibleFacts(coup);
  const hands = handsOf(coup);
  const [certain] = possible;
  if (possible.length === 1 && certain && same(said, specialsOf(shoe.rules, certain, hands)))
    return;
  const text = (names: readonly string[]): string =>
    [...new Set(names)].sort().join(', ') || 'none';
  const made = new Set(possible.map((facts) => text(specialsOf(shoe.rules, facts, hands))));
  const announced = text(said);
  if (made.has(announced)) {
    if (made.size > 1) leftOpen(shoe, coup, ['RS-05']);
    return;
  }
  const expected = [...made].join(' or ');
  raise(shoe, coup, 'RS-05', {
    events: [referenceOf(event)],
    expected,
    observed: announced,
    message: `Announced with the result: ${announced}; the cards make: ${expected}.`,
  });
}
