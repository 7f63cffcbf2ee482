import type { Report } from '../events/events.js';

/**
 * 1: money or result wrong now. 2: a rule broken, the result possibly right. 3: procedure or data
 * quality. 4: statistics.
 */
export const SEVERITIES = [1, 2, 3, 4] as const;
/** How serious a finding is. */
export type Severity = (typeof SEVERITIES)[number];

/**
 * What a gap can hide, by what its source has sent at the table (contract section 4). `play`,
 * `calls`, `money` and `people`: that kind of message, in the coups between. `after play`: play, in
 * the coup after. `cards of shoe`, `play of shoe` and `money of shoe`: that kind, in the shoe as a
 * whole. `burn`: play before the first coup. `closing`: play at the end of the shoe. `last cards`:
 * the last cards of the shoe, in a coup that ends with a card due.
 */
export const LOSSES = [
  'play',
  'calls',
  'money',
  'people',
  'after play',
  'cards of shoe',
  'play of shoe',
  'money of shoe',
  'burn',
  'closing',
  'last cards',
] as const;
/** One of the things that a gap can hide. */
export type Loss = (typeof LOSSES)[number];

/** Everything that follows from a finding's code. */
export interface CodeFacts {
  readonly severity: Severity;
  /**
   * A finding about the shoe as a whole names no coup. The id of one about a device leaves shoe and
   * coup out.
   */
  readonly about: 'shoe' | 'coup' | 'device' | 'person';
  /** What a gap must hide to make the code unjudgeable; empty if no gap does. */
  readonly gap: readonly Loss[];
  /**
   * What the void of its coup does to the finding: withdraws it; marks it void; marks it void
   * unless it was raised after the void; nothing.
   */
  readonly onVoid: 'withdrawn' | 'void' | 'void if earlier' | 'stays';
  /**
   * What a correction judges again together with the finding: its coup, or all of its shoe.
   * `stays`: it is never withdrawn.
   */
  readonly onCorrection: 'coup' | 'shoe' | 'stays';
  /** The reports in which it counts. */
  readonly reports: readonly ('misdealt' | 'dealers' | 'payouts' | 'shoes' | 'devices')[];
  /**
   * Which card is wrong. `named`: the one that the finding names. `first`: the first that it names;
   * what should have come before it comes after. `fourth`: the last of the four of its hand.
   * `no third of player`, `no third of banker`: that card is missing. `no card`: the card that is
   * due is missing. `none`: no single card, although cards may be named.
   */
  readonly wrongCard:
    'named' | 'first' | 'fourth' | 'no third of player' | 'no third of banker' | 'no card' | 'none';
  /** What a table must report before the absence of a fact counts against a dealer. */
  readonly needs: readonly Report[];
  /** Whether only a table with bets can have it. */
  readonly withBets: boolean;
  /** What `expected`, `observed` and `message` contain apart from words. */
  readonly values: 'cards' | 'amounts' | 'actions' | 'words';
  /**
   * The part of the rule document that holds the rule, as a JSON pointer. `null`: every document
   * takes it for granted.
   */
  readonly rule: RulePart | null;
  /**
   * The fields that distinguish its findings within one table, shoe and coup: the tail of their
   * ids.
   */
  readonly tail: readonly TailField[];
}

type RulePart =
  | '/tableau'
  | '/specials'
  | '/bets'
  | '/bets/pays'
  | '/commission/rate'
  | '/commission/rounding'
  | '/commission/when'
  | '/burn'
  | '/cutCard'
  | '/decks';

/** A field of a finding, by its path in the JSON. */
export type TailField =
  | 'seat'
  | 'bet'
  | 'hand'
  | 'by'
  | 'event'
  | 'shoeRef'
  | 'irregularity'
  | 'gap.source'
  | 'gap.session'
  | 'gap.boot'
  | 'gap.from'
  | 'repeat.source'
  | 'repeat.session'
  | 'repeat.sequence'
  | 'repeat.id';

const PLAIN = {
  about: 'coup',
  gap: [],
  onVoid: 'void',
  onCorrection: 'coup',
  reports: [],
  needs: [],
  withBets: false,
  wrongCard: 'none',
  values: 'words',
  rule: null,
  tail: [],
} as const satisfies Partial<CodeFacts>;

const OF_SHOE = {
  ...PLAIN,
  about: 'shoe',
  onVoid: 'stays',
  onCorrection: 'shoe',
  reports: ['shoes'],
  values: 'cards',
} as const;
const OF_SHOE_IN_COUP = {
  ...OF_SHOE,
  about: 'coup',
  onVoid: 'void',
  reports: ['misdealt', 'shoes'],
} as const;
const DEAL = { ...PLAIN, reports: ['misdealt', 'dealers'], values: 'cards' } as const;
const IN_PLAY = { ...DEAL, gap: ['play'] } as const;
const EXCESS_CARD = { ...IN_PLAY, tail: ['event'] } as const;
const THIRD_CARD = { ...IN_PLAY, rule: '/tableau' } as const;
const MISSING_CARD = { ...THIRD_CARD, gap: ['play', 'last cards'] } as const;
const RESULT = { ...DEAL, gap: ['play', 'calls'] } as const;
const BET = {
  ...PLAIN,
  gap: ['play', 'money', 'after play'],
  reports: ['dealers'],
  withBets: true,
  values: 'amounts',
  tail: ['seat', 'bet'],
} as const;
const PAYMENT = {
  ...BET,
  onVoid: 'withdrawn',
  reports: ['dealers', 'payouts'],
} as const;
const PAYMENT_BY_ODDS = { ...PAYMENT, needs: ['bets'], rule: '/bets/pays' } as const;
const COMMISSION = {
  ...PAYMENT,
  onCorrection: 'shoe',
  reports: ['dealers'],
  needs: ['bets'],
  rule: '/commission/rate',
} as const;
const LEDGER = {
  ...COMMISSION,
  about: 'shoe',
  gap: [],
  onVoid: 'stays',
  reports: [],
  needs: [],
  rule: null,
  tail: ['event'],
} as const;
const DEVICE = {
  ...PLAIN,
  about: 'device',
  onCorrection: 'stays',
  reports: ['devices'],
  tail: ['event', 'shoeRef'],
} as const;
const PERSON = {
  ...PLAIN,
  about: 'person',
  onVoid: 'void if earlier',
  onCorrection: 'stays',
  tail: ['event'],
} as const;

/**
 * Every code that is raised, with all that follows from it. No other code may infer anything from
 * how a code is spelled. Severities are those of contract section 4. docs/findings.md explains each
 * code.
 */
const ROWS = {
  'SH-02': {
    ...OF_SHOE_IN_COUP,
    severity: 1,
    wrongCard: 'named',
    gap: ['cards of shoe'],
    tail: ['event'],
  },
  'SH-04': { ...OF_SHOE, severity: 2, gap: ['cards of shoe'] },
  'SH-06': { ...OF_SHOE, severity: 3, gap: ['burn'], needs: ['burns'], rule: '/burn' },
  'SH-07': { ...OF_SHOE, severity: 3, gap: ['burn'], needs: ['burns'], rule: '/burn' },
  'SH-09': { ...OF_SHOE_IN_COUP, severity: 2, gap: ['play', 'after play'], rule: '/cutCard' },
  'SH-10': { ...OF_SHOE, severity: 3, gap: ['closing'] },
  'SH-13': { ...OF_SHOE_IN_COUP, severity: 1, gap: ['cards of shoe'] },
  'SH-19': { ...OF_SHOE, severity: 2, rule: '/decks' },
  'DL-01': { ...IN_PLAY, severity: 2, wrongCard: 'named' },
  'DL-02': { ...IN_PLAY, severity: 2, wrongCard: 'named' },
  'DL-04': { ...IN_PLAY, severity: 2, wrongCard: 'no card', gap: ['play', 'last cards'] },
  'DL-05': { ...DEAL, severity: 2, wrongCard: 'named', tail: ['event'] },
  'DL-06': { ...EXCESS_CARD, severity: 2, wrongCard: 'named' },
  'DL-07': { ...EXCESS_CARD, severity: 2, wrongCard: 'named' },
  'DL-10': {
    ...DEAL,
    severity: 3,
    gap: ['play', 'money', 'after play'],
    needs: ['bets'],
    withBets: true,
  },
  'DL-11': { ...EXCESS_CARD, severity: 2, wrongCard: 'named' },
  'DL-15': { ...IN_PLAY, severity: 2, wrongCard: 'named', tail: ['event'] },
  'DL-16': { ...DEAL, severity: 3, gap: ['play', 'after play'] },
  'TC-01': { ...THIRD_CARD, severity: 1, wrongCard: 'named' },
  'TC-02': { ...THIRD_CARD, severity: 1, wrongCard: 'named' },
  'TC-03': { ...MISSING_CARD, severity: 1, wrongCard: 'no third of player' },
  'TC-04': { ...THIRD_CARD, severity: 1, wrongCard: 'named' },
  'TC-05': { ...MISSING_CARD, severity: 1, wrongCard: 'no third of banker' },
  'TC-06': { ...THIRD_CARD, severity: 1, wrongCard: 'named' },
  'TC-07': { ...MISSING_CARD, severity: 1, wrongCard: 'no third of banker' },
  'TC-08': { ...THIRD_CARD, severity: 1, wrongCard: 'named' },
  'TC-09': { ...THIRD_CARD, severity: 1, wrongCard: 'first' },
  'TC-11': { ...THIRD_CARD, severity: 1, wrongCard: 'fourth', tail: ['hand'] },
  'RS-01': { ...RESULT, severity: 2 },
  'RS-02': { ...RESULT, severity: 1 },
  'RS-03': { ...RESULT, severity: 1, reports: ['misdealt'] },
  'RS-05': { ...RESULT, severity: 1, rule: '/specials' },
  'RS-07': {
    ...RESULT,
    severity: 3,
    gap: ['play', 'calls', 'last cards'],
    onVoid: 'withdrawn',
    needs: ['outcomes'],
  },
  'RS-08': { ...RESULT, severity: 2, tail: ['by'] },
  'RS-09': {
    ...RESULT,
    severity: 2,
    onVoid: 'void if earlier',
    reports: ['misdealt'],
    tail: ['event'],
  },
  'BT-01': { ...BET, severity: 1, reports: [] },
  'BT-02': { ...BET, severity: 2 },
  'BT-03': { ...BET, severity: 2 },
  'BT-07': { ...BET, severity: 1 },
  'BT-08': { ...BET, severity: 1, onVoid: 'void if earlier' },
  'BT-10': { ...BET, severity: 2, values: 'words', rule: '/bets' },
  'PY-01': { ...PAYMENT_BY_ODDS, severity: 1 },
  'PY-02': { ...PAYMENT_BY_ODDS, severity: 1 },
  'PY-03': { ...PAYMENT_BY_ODDS, severity: 1 },
  'PY-04': { ...PAYMENT_BY_ODDS, severity: 1 },
  'PY-05': { ...PAYMENT_BY_ODDS, severity: 1 },
  'PY-06': { ...PAYMENT, severity: 1, needs: ['bets'], tail: ['seat', 'bet', 'event'] },
  'PY-07': { ...PAYMENT, severity: 3, gap: ['play', 'calls', 'money', 'after play'] },
  'PY-10': { ...PAYMENT, severity: 2, tail: ['event'] },
  'CM-01': { ...COMMISSION, severity: 1, needs: ['bets', 'commission'] },
  'CM-02': { ...COMMISSION, severity: 1 },
  'CM-03': { ...COMMISSION, severity: 2, rule: '/commission/rounding' },
  'CM-04': { ...COMMISSION, severity: 1 },
  'CM-05': {
    ...LEDGER,
    severity: 1,
    gap: ['play of shoe', 'money of shoe'],
    needs: ['commission'],
    rule: '/commission/when',
    tail: ['seat'],
  },
  'CM-06': { ...LEDGER, severity: 1, gap: ['money of shoe'] },
  'CM-08': { ...LEDGER, severity: 2 },
  'DV-01': { ...DEVICE, severity: 3, wrongCard: 'named' },
  'DV-04': {
    ...DEVICE,
    severity: 3,
    tail: ['gap.source', 'gap.session', 'gap.boot', 'gap.from'],
  },
  'DV-06': { ...DEVICE, severity: 3, reports: [] },
  'DV-11': { ...DEVICE, severity: 3, wrongCard: 'named', reports: [] },
  'DV-15': {
    ...DEVICE,
    severity: 1,
    wrongCard: 'named',
    tail: ['repeat.source', 'repeat.session', 'repeat.sequence', 'repeat.id', 'shoeRef'],
  },
  'PR-01': {
    ...PERSON,
    severity: 3,
    wrongCard: 'named',
    gap: ['people'],
    onVoid: 'void',
    needs: ['dealers'],
    tail: [],
  },
  'PR-04': { ...PERSON, severity: 2 },
  'PR-07': { ...PERSON, severity: 1, gap: ['play'], values: 'actions', tail: ['irregularity'] },
  'PR-09': { ...PERSON, severity: 3, gap: ['play'] },
  'PR-10': { ...PERSON, severity: 2 },
} as const satisfies Record<string, CodeFacts>;

/** A code of the catalogue. */
export type FindingCode = keyof typeof ROWS;
/** All codes, in the catalogue's order. */
export const FINDING_CODES = Object.keys(ROWS) as FindingCode[];
/** The facts of each code. */
export const CATALOGUE: Readonly<Record<FindingCode, CodeFacts>> = ROWS;

/** Returns the codes whose facts fit, in the catalogue's order. */
export const codesWhere = (fits: (facts: CodeFacts) => boolean): readonly FindingCode[] =>
  FINDING_CODES.filter((code) => fits(CATALOGUE[code]));

/** Returns the codes that count in a report. */
export const codesOfReport = (report: CodeFacts['reports'][number]): readonly FindingCode[] =>
  codesWhere(({ reports }) => reports.includes(report));

/** Returns a set of losses as bits. */
export const lossBits = (losses: readonly Loss[]): number =>
  losses.reduce((bits, loss) => bits | (1 << LOSSES.indexOf(loss)), 0);

const HIDDEN_BY = Object.fromEntries(
  FINDING_CODES.map((code) => [code, lossBits(CATALOGUE[code].gap)]),
) as Readonly<Record<FindingCode, number>>;

/** Returns whether losses, as bits, make a code unjudgeable. */
export const hides = (losses: number, code: FindingCode): boolean =>
  losses !== 0 && (HIDDEN_BY[code] & losses) !== 0;
