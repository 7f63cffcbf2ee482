import type { Card } from '#baccarat';
import type { FindingCode } from '../../findings/catalogue.js';
import type { CoupKind } from '../../events/events.js';
import type { PlannedWager } from '../coup/betting.js';
import type { Burn } from '../shoe/burning.js';
import type { Dealing } from '../coup/dealing.js';
import type { Play } from '../coup/script.js';
import type { Random } from '../random.js';
import type { Setting } from '../setting.js';

/** A wrong done in one coup. What is absent is as in a lawful coup. */
export interface CoupFault {
  readonly at: 'coup';
  /** Returns the reason why the fault is impossible at such a table. */
  readonly impossible?: (setting: Setting) => string | undefined;
  /** The first coup in which it is possible. */
  readonly earliest?: (setting: Setting) => number;
  /** Whether it also occupies the coup before. */
  readonly needsCoupBefore?: true;
  /** Two faults of one part cannot be distinguished in one shoe. */
  readonly part?: string;
  readonly kind?: CoupKind;
  /**
   * Deals the coup's cards wrongly, or for a later wrong. Returns `undefined` if these cards do not
   * suit. `kept`: a card that must be read.
   */
  readonly deal?: (
    top: readonly Card[],
    setting: Setting,
    random: Random,
    kept: Card | null,
  ) => Dealing | undefined;
  /** Returns the bets of the coup, from those that patrons chose. */
  readonly bet?: (
    wagers: readonly PlannedWager[],
    table: { readonly setting: Setting; readonly dealing: Dealing; readonly random: Random },
  ) => readonly PlannedWager[];
  /** Spoils the steps of the coup. */
  readonly spoil?: (play: Play) => void;
  /**
   * Other findings that necessarily follow. PR-07 need not be named if the document prescribes a
   * remedy for the code.
   */
  readonly entails?: readonly FindingCode[];
  /** The faults that would not be found in the same shoe. */
  readonly hides?: readonly FindingCode[];
  /** Whether the finding names no coup. */
  readonly outsideCoup?: true;
  /** Whether the coup's first card is one more of a card whose every copy has been drawn. */
  readonly strayCopy?: true;
}

/** What may be wrong with a shoe as a whole. */
export interface ShoeTwist {
  readonly burn?: Burn;
  /** Normal coups dealt after the last that the cut card permits. */
  readonly furtherCoups?: number;
  /** Dealt to the last card, with no cut card. */
  readonly toTheEnd?: true;
  readonly reasonLeftOut?: true;
  /** How many cards too many are counted as remaining. */
  readonly miscountedBy?: number;
  /** Opened with a number of decks that the document does not allow. */
  readonly wrongDecks?: true;
}

/** A wrong about a shoe as a whole. No coup can be chosen for it. */
export interface ShoeFault {
  readonly at: 'shoe';
  readonly impossible?: (setting: Setting) => string | undefined;
  readonly part: string;
  readonly twist: ShoeTwist;
  /** Whether the finding names the shoe's last coup. */
  readonly inLastCoup?: true;
  /** The coup that it is about, which then has no fault of its own. */
  readonly takesCoup?: number;
}

/** A fault that can be simulated, in one coup or in a whole shoe. */
export type PlannedFault = CoupFault | ShoeFault;

/** Why there is no such fault without bets. */
export const needsBets = ({ bets, rules }: Setting): string | undefined => {
  if (rules.bets.size === 0) return `${rules.ref} has no bets`;
  return bets ? undefined : 'it needs bets at the table';
};

/** Why there is no such fault without commission. */
export const needsCommission = (setting: Setting): string | undefined =>
  needsBets(setting) ??
  (setting.rules.commission && [...setting.rules.bets.values()].some(({ commission }) => commission)
    ? undefined
    : `${setting.rules.ref} has no commission`);
