import { CATALOGUE, type FindingCode } from '../../findings/catalogue.js';
import { canBurn } from '../shoe/burning.js';
import type { CoupFault, PlannedFault } from './fault.js';
import { FAULTS_OF_BETS } from './bets.js';
import { FAULTS_OF_COMMISSION } from './commission.js';
import { FAULTS_OF_DEALING } from './dealing.js';
import { FAULTS_OF_DRAWING } from './drawing.js';
import { FAULTS_OF_PAYMENT } from './payment.js';
import { FAULTS_OF_RECORD } from './record.js';
import { FAULTS_OF_RESULT } from './result.js';
import type { Setting } from '../setting.js';

/** The fewest cards that a coup draws, whatever its fault. */
export const COUP_CARDS_MIN = 3;

/**
 * The coup from which every copy of a card can have been drawn, among enough others. One coup
 * number may have been skipped.
 */
const afterAllCopies = ({ decks }: Setting): number => decks + 2;

/** Why there is no such fault in a shoe that is closed earlier. */
const needsCutCard = ({ coups }: Setting): string | undefined =>
  coups === undefined ? undefined : `each shoe is closed after coup ${coups}`;

const FAULTS_OF_SHOE = {
  'SH-02': { at: 'coup', part: 'copies', strayCopy: true, earliest: afterAllCopies },
  'SH-04': { at: 'shoe', part: 'count', twist: { miscountedBy: 1 } },
  'SH-06': {
    at: 'shoe',
    part: 'burn',
    twist: { burn: 'missing' },
    takesCoup: 1,
    impossible: ({ rules, decks }) =>
      canBurn(rules, decks, 'missing') ? undefined : `${rules.ref} allows no burn`,
  },
  'SH-07': {
    at: 'shoe',
    part: 'burn',
    twist: { burn: 'wrong' },
    takesCoup: 1,
    impossible: ({ rules, decks }) =>
      canBurn(rules, decks, 'wrong')
        ? undefined
        : `${rules.ref} permits every number of burned cards`,
  },
  'SH-09': {
    at: 'shoe',
    part: 'end',
    twist: { furtherCoups: 1 },
    inLastCoup: true,
    impossible: needsCutCard,
  },
  'SH-10': { at: 'shoe', part: 'reason', twist: { reasonLeftOut: true } },
  'SH-13': {
    at: 'shoe',
    part: 'end',
    twist: { toTheEnd: true },
    inLastCoup: true,
    impossible: needsCutCard,
  },
  'SH-19': { at: 'shoe', part: 'decks', twist: { wrongDecks: true } },
} as const satisfies Record<string, PlannedFault>;

/** How to do every wrong that the auditor knows: one fault for each code of the catalogue. */
export const FAULTS: Readonly<Record<FindingCode, PlannedFault>> = {
  ...FAULTS_OF_SHOE,
  ...FAULTS_OF_DEALING,
  ...FAULTS_OF_DRAWING,
  ...FAULTS_OF_RESULT,
  ...FAULTS_OF_BETS,
  ...FAULTS_OF_PAYMENT,
  ...FAULTS_OF_COMMISSION,
  ...FAULTS_OF_RECORD,
};

/** Returns whether the finding of a fault done in a coup names that coup. */
export const namesCoup = (code: FindingCode, fault: CoupFault): boolean =>
  CATALOGUE[code].about !== 'shoe' && !fault.outsideCoup;
