import {
  integerForm as integer,
  listForm as list,
  recordForm as record,
  textForm as text,
} from './form-parts.js';
import type { Form } from './json-form.js';
import { ACTIONS } from './rule-document.js';
import { ROUNDING_MODES } from '../bets/money.js';

/** The id of a document, a bet or a source: lower-case words joined by hyphens. */
const ID = '^[a-z0-9]+(-[a-z0-9]+)*$';
/**
 * A decimal that is exact as a fraction of two safe integers, also after multiplication by another
 * such decimal.
 */
const DECIMAL = '(0|[1-9][0-9]{0,5})([.][0-9]{1,4})?';

const yes = (description: string): Form => ({ description, const: true });
/** Returns the form of a value, or a list of alternative values. */
const oneOrMore = (description: string, value: Form): Form => ({
  description,
  oneOf: [value, { type: 'array', items: value, minItems: 1, uniqueItems: true }],
});

const WINNER = oneOrMore('Who won: "player", "banker" or "tie", or a list of them.', {
  enum: ['player', 'banker', 'tie'],
});
const count = (from: number, to: number, description: string): Form =>
  oneOrMore(`${description} A number from ${from} to ${to}, or a list of them.`, {
    type: 'integer',
    minimum: from,
    maximum: to,
  });
const fact = (description: string): Form =>
  oneOrMore(`${description} True or false.`, { type: 'boolean' });
const CARD_PATTERNS: Form = {
  description:
    'Patterns of the hand\'s cards in order, which it must have at least: a rank or "?", then a suit or "?", such as "7?" or "?H".',
  type: 'array',
  minItems: 1,
  maxItems: 3,
  items: {
    description: 'a rank or ?, then a suit or ?',
    type: 'string',
    pattern: '^[A23456789TJQK?][SHDC?]$',
  },
};

const PREDICATE: Form = {
  ...record(
    'A condition on a finished coup. It holds if every named fact has the value, or one of the values, in the condition.',
    {},
  ),
  properties: {
    winner: WINNER,
    playerTotal: count(0, 9, "The player hand's final total."),
    bankerTotal: count(0, 9, "The banker hand's final total."),
    playerCards: count(2, 3, 'Cards in the player hand.'),
    bankerCards: count(2, 3, 'Cards in the banker hand.'),
    cards: count(4, 6, 'Cards in both hands.'),
    margin: count(0, 9, 'Points between the two totals.'),
    playerNatural: fact('The first two cards of the player hand total 8 or 9.'),
    bankerNatural: fact('The first two cards of the banker hand total 8 or 9.'),
    playerPair: fact("The player hand's first two cards are of one rank."),
    bankerPair: fact("The banker hand's first two cards are of one rank."),
    pairs: count(0, 2, 'Hands whose first two cards are of one rank.'),
    perfectPairs: count(0, 2, 'Hands whose first two cards are of one rank and suit.'),
    player: CARD_PATTERNS,
    banker: CARD_PATTERNS,
  },
};

const ROUNDING = record('How amounts are rounded that are not a whole multiple.', {
  unit: integer(1, 1_000_000, 'Amounts are multiples of this many minor units.'),
  mode: {
    description:
      'To the nearest multiple, with halves up, down or to the even multiple; or always down; or always up.',
    enum: [...ROUNDING_MODES],
  },
});

const SPECIAL = yes(
  'Marks a push or payout that a house has instead of commission. If it is not made, PY-05 is raised.',
);

const BET = record(
  'One bet of the layout.',
  {
    id: {
      description: "the bet's id, lower-case words joined by hyphens, as events name it",
      type: 'string',
      pattern: ID,
    },
    title: text('What people call the bet. Default: its id.'),
    pushes: list(
      'Conditions that return the stake. They are tried in order, before "pays".',
      record('A push.', { when: PREDICATE, special: SPECIAL }, ['special']),
    ),
    pays: list(
      'Payouts, tried in order. The first whose condition holds pays. If none holds, the bet loses.',
      record(
        'A payout.',
        {
          when: PREDICATE,
          odds: {
            description: 'odds as published, such as "8 to 1", "0.95 to 1" or "9 for 1"',
            type: 'string',
            pattern: `^${DECIMAL} (to|for) ${DECIMAL}$`,
          },
          special: SPECIAL,
        },
        ['special'],
      ),
    ),
    commission: yes("Set if winnings on this bet bear the document's commission."),
  },
  ['title', 'pushes', 'commission'],
);

const burnWay = (
  name: string,
  description: string,
  more: Readonly<Record<string, Form>> = {},
  optional: readonly string[] = [],
): Form =>
  record(
    description,
    { count: { description: 'Names the way of counting.', const: name }, ...more },
    optional,
  );

const BURN: Form = {
  description: 'a way of counting: "none", "first-card", "decks" or "fixed"',
  oneOf: [
    burnWay('none', 'No card is burned.'),
    burnWay(
      'first-card',
      'As many as the first card counts. That card is the indicator and is not counted.',
      {
        ace: integer(1, 13, 'Cards burned for an ace. Default: 1.'),
        ten: integer(1, 13, 'Cards burned for a ten. Default: 10.'),
        face: integer(1, 13, 'Cards burned for a jack, queen or king. Default: 10.'),
      },
      ['ace', 'ten', 'face'],
    ),
    burnWay('decks', 'As many as there are decks.'),
    burnWay('fixed', 'A number that the house sets beforehand, from `from` to `to`.', {
      from: integer(1, 52, 'The least number.'),
      to: integer(1, 52, 'The greatest number.'),
    }),
  ],
};

const truth = (description: string): Form => ({ description, type: 'boolean' });

const IRREGULARITY = record(
  'What must be done about an irregularity. The first entry that matches a code applies.',
  {
    codes: list('Codes of findings.', {
      description: 'a code, two capitals, a hyphen, two digits',
      type: 'string',
      pattern: '^[A-Z]{2}-[0-9]{2}$',
    }),
    when: {
      ...record(
        'Conditions that choose between entries for one code. An absent condition does not matter.',
        {
          exposed: truth('The card lay face up, or was seen before it was due.'),
          firstCard: truth('The card is the first of its coup.'),
          lastCoup: truth('The coup is the last of the shoe.'),
          bankerMustDraw: truth('The tableau has the banker hand draw.'),
          belongsTo: {
            description: 'The hand that the misplaced card belongs to.',
            enum: ['player', 'banker'],
          },
        },
        ['exposed', 'firstCard', 'lastCoup', 'bankerMustDraw', 'belongsTo'],
      ),
      minProperties: 1,
    },
    do: list('Actions, all of which must be done.', {
      description: 'Something that events show.',
      enum: [...ACTIONS],
    }),
    source: text('A key of "sources".'),
    section: text('The section of that source that says so.'),
  },
  ['when'],
);

/** The form of a rule document, published as rules/rule-document.schema.json (JSON Schema 2020-12). */
export const RULE_DOCUMENT_FORM: Form = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Rule document',
  ...record(
    'The rules of one house or book, in one version. A published version never changes.',
    {
      id: {
        description: "the document's id, lower-case words joined by hyphens",
        type: 'string',
        pattern: ID,
      },
      version: integer(1, 1_000_000, 'Counts the published versions of this id from 1.'),
      title: text('What the document is called.'),
      sources: {
        description: 'The texts that the values come from, each under a key that you choose.',
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: ID },
        additionalProperties: record('A text.', {
          title: text('What the text is called, and who published it.'),
          section: text('The section, article or rule.'),
          edition: text('Which edition, or when and where it was read.'),
        }),
      },
      provenance: {
        description:
          'Where each value comes from: a JSON pointer into this document, and the key of a source.',
        type: 'object',
        propertyNames: { pattern: '^(/[^/]*)+$' },
        additionalProperties: record(
          'Where a value, and everything inside it, comes from.',
          {
            source: text('A key of "sources".'),
            provisional: yes(
              "Set if the source is not a regulator's text, or is the text of another regulator than the house's own.",
            ),
          },
          ['provisional'],
        ),
      },
      game: { description: 'The family of the game.', enum: ['punto-banco', 'chemin-de-fer'] },
      decks: list(
        'Numbers of decks that the house may play with.',
        integer(1, 12, 'A number of decks.'),
      ),
      tableau: record('The drawing rules. Each cell is a letter: D draw, S stand, O optional.', {
        player: {
          description: 'eight letters D, S or O, one for each player total 0 to 7',
          type: 'string',
          pattern: '^[DSO]{8}$',
        },
        banker: {
          description: 'A row for each banker total 0 to 7.',
          type: 'array',
          minItems: 8,
          maxItems: 8,
          items: {
            description:
              "ten letters D, S or O for the value 0 to 9 of the player's third card, a space, and a letter for a player who stood",
            type: 'string',
            pattern: '^[DSO]{10} [DSO]$',
          },
        },
      }),
      bets: list('The bets of the layout. Empty if only the drawing is judged.', BET, 0),
      specials: list(
        'Names announced with a result.',
        text('"natural", or the id of a bet of this document.'),
        0,
      ),
      commission: record(
        'What the house takes from winnings of bets that bear commission. Absent if no bet does.',
        {
          rate: {
            description: 'a share of the winnings below 1, as a decimal such as "0.05"',
            type: 'string',
            pattern: '^0([.][0-9]{1,6})?$',
          },
          when: {
            description: 'Taken from each payout at once, or marked and collected later.',
            enum: ['taken', 'marked'],
          },
          rounding: ROUNDING,
          minimum: integer(
            0,
            1_000_000_000,
            'The minimum commission on a winning bet that bears it, in minor units.',
          ),
        },
        ['minimum'],
      ),
      payouts: record(
        'How a payout is rounded that is not a whole number of minor units. Default: to the nearest, halves up.',
        { rounding: ROUNDING },
      ),
      burn: list(
        'Permitted numbers of cards to burn before the first coup. Any of them is correct.',
        BURN,
      ),
      cutCard: record('How many coups may still be opened once the cut card has shown.', {
        insideCoup: integer(0, 100, 'When it shows inside a coup, after its first card.'),
        betweenCoups: integer(0, 100, 'When it shows between coups.'),
      }),
      clockTolerance: {
        description: 'Seconds by which the clocks of two sources may disagree.',
        type: 'number',
        minimum: 0,
        maximum: 3600,
      },
      irregularities: list(
        'What must be done about irregularities. A code without an entry prescribes nothing.',
        IRREGULARITY,
        0,
      ),
      procedure: record(
        'Limits of procedure.',
        { demonstrationHands: integer(0, 100, 'Demonstration hands permitted in a shoe.') },
        ['demonstrationHands'],
      ),
    },
    ['commission', 'payouts'],
  ),
};
