import { RANKS, type Rank } from '../cards/cards.js';
import { isRecord } from '../rules/json-pointer.js';
import type { Form } from '../rules/json-form.js';
import type { RuleSource } from '../rules/rule-document.js';
import type { Cell } from '../rules/rules.js';

/**
 * A drawing chart as published, with its errors: what the print says, not what it should say. It
 * may decide a cell twice or never. `lintChart` reports that, and returns the tableau if there is
 * exactly one.
 */
export interface Chart {
  /** The chart's name. This field distinguishes a chart from a rule document. */
  readonly chart: string;
  readonly source: RuleSource;
  /**
   * The value of each rank, as far as the text states it. A rank without a value in the text is
   * absent.
   */
  readonly values: { readonly [rank in Rank]?: number };
  /** Two-card totals that end the drawing, on either hand. */
  readonly naturals: readonly number[];
  /** The player hand's totals by move. */
  readonly player: ByMove<readonly number[]>;
  readonly banker: BankerChart;
  /** What the text outside the chart says about the banker hand. */
  readonly prose?: readonly ProseRule[];
}

type ByMove<T> = { readonly [move in Cell]?: T };

/**
 * A third card of the player hand: its value, or its rank, whose value is in the chart's `values`.
 */
export type ThirdCard = number | Rank;

/** The banker's rules as a publisher prints them, in one of the known layouts. */
export type BankerChart =
  | { readonly printed: 'by-banker-row'; readonly rows: readonly BankerRow[] }
  | { readonly printed: 'by-third-card'; readonly rows: readonly ThirdCardRow[] }
  | GridChart;

/** A row for one or more banker totals, with lists of the player's third cards. */
export interface BankerRow extends ByMove<readonly ThirdCard[]> {
  readonly banker: readonly number[];
  /** For third cards that this row does not list. */
  readonly otherwise?: Cell;
  /** For a player who took no third card. */
  readonly stood?: Cell;
  /** With any third card, or without one. */
  readonly always?: Cell;
}

/** A row for one or more third cards, with lists of banker totals. */
export interface ThirdCardRow extends ByMove<readonly number[]> {
  readonly thirdCards: readonly ThirdCard[];
}

/** Rows of banker totals under columns. Cells are letters separated by spaces. */
export interface GridChart {
  readonly printed: 'grid';
  /** What is printed above the columns. */
  readonly heading: string;
  /**
   * What the columns are according to the heading: the player's third card, or the player hand's
   * own total.
   */
  readonly headedBy: 'third-card' | 'player-total';
  /** A number for each column, or `stood` for a player who took no third card. */
  readonly columns: readonly (number | 'stood')[];
  /** The meaning of each letter. */
  readonly letters: Readonly<Record<string, Cell>>;
  readonly rows: readonly { readonly banker: number; readonly cells: string }[];
}

/**
 * One sentence of the text: what the banker hand does with these totals, or with any total if it
 * names none.
 */
export interface ProseRule {
  readonly banker?: readonly number[];
  readonly says: Cell;
  /**
   * `anything`; `any-third-card`; a player who `stood`; or one who `stood-higher`, that is, on a
   * total above the banker hand's own.
   */
  readonly against: 'anything' | 'any-third-card' | 'stood' | 'stood-higher';
}

/**
 * Returns whether a JSON value is meant as a chart, valid or not: whether it has the field `chart`.
 */
export const isChart = (json: unknown): boolean => isRecord(json) && Object.hasOwn(json, 'chart');

const text: Form = { type: 'string', pattern: '\\S', description: 'a text that is not empty' };
const MOVE: Form = { enum: ['draw', 'stand', 'optional'] };
const total: Form = { type: 'integer', minimum: 0, maximum: 9 };
const totals = (description: string): Form => ({
  description,
  type: 'array',
  items: total,
  uniqueItems: true,
});
const thirdCards = (description: string): Form => ({
  description,
  type: 'array',
  uniqueItems: true,
  items: { description: 'a value 0 to 9, or a rank', oneOf: [total, { enum: [...RANKS] }] },
});
const record = (
  description: string,
  properties: Readonly<Record<string, Form>>,
  required: readonly string[],
): Form => ({ description, type: 'object', properties, required, additionalProperties: false });
const rows = (row: Form): Form => ({
  description: 'The rows as printed.',
  type: 'array',
  items: row,
  minItems: 1,
});
const moves = (of: (description: string) => Form): Readonly<Record<string, Form>> => ({
  draw: of('Drawn on.'),
  stand: of('Stood on.'),
  optional: of('Left to choice.'),
});
const said = (description: string): Form => ({ ...MOVE, description });

/** The form of a chart, published as rules/chart.schema.json (JSON Schema 2020-12). */
export const CHART_FORM: Form = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Published drawing chart',
  ...record(
    'A drawing chart as it was printed, with its faults.',
    {
      chart: { ...text, description: 'What the chart is called.' },
      source: record('Who published it.', { title: text, section: text, edition: text }, [
        'title',
        'section',
        'edition',
      ]),
      values: record(
        'What each rank counts, as far as the text says.',
        Object.fromEntries(
          RANKS.map((rank) => [
            rank,
            { ...total, maximum: 11, description: `What a card of rank ${rank} counts.` },
          ]),
        ),
        [],
      ),
      naturals: totals('Two-card totals that end the drawing.'),
      player: record('What the player hand does, by total.', moves(totals), []),
      banker: {
        description: 'a chart printed "by-banker-row", "by-third-card" or as a "grid"',
        oneOf: [
          record(
            'A row for each banker total.',
            {
              printed: { const: 'by-banker-row' },
              rows: rows(
                record(
                  'A row.',
                  {
                    banker: totals('Banker totals.'),
                    ...moves(thirdCards),
                    otherwise: said('For third cards in no list.'),
                    stood: said('For a player who took no third card.'),
                    always: said('With or without a third card.'),
                  },
                  ['banker'],
                ),
              ),
            },
            ['printed', 'rows'],
          ),
          record(
            'A row for each third card.',
            {
              printed: { const: 'by-third-card' },
              rows: rows(
                record(
                  'A row.',
                  { thirdCards: thirdCards("The player's third cards."), ...moves(totals) },
                  ['thirdCards'],
                ),
              ),
            },
            ['printed', 'rows'],
          ),
          record(
            'A grid.',
            {
              printed: { const: 'grid' },
              heading: { ...text, description: 'What is printed above the columns.' },
              headedBy: {
                enum: ['third-card', 'player-total'],
                description: 'What the heading says that the columns are.',
              },
              columns: {
                description: 'The columns.',
                type: 'array',
                minItems: 1,
                maxItems: 11,
                uniqueItems: true,
                items: {
                  description: 'a value 0 to 9, or "stood"',
                  oneOf: [total, { const: 'stood' }],
                },
              },
              letters: {
                description: 'What each letter says.',
                type: 'object',
                minProperties: 1,
                propertyNames: { pattern: '^\\S$' },
                additionalProperties: MOVE,
              },
              rows: rows(
                record(
                  'A row.',
                  {
                    banker: { ...total, description: 'A banker total.' },
                    cells: { ...text, description: 'Letters parted by spaces.' },
                  },
                  ['banker', 'cells'],
                ),
              ),
            },
            ['printed', 'heading', 'headedBy', 'columns', 'letters', 'rows'],
          ),
        ],
      },
      prose: {
        description: 'What the text says outside the chart.',
        type: 'array',
        items: record(
          'A sentence.',
          {
            banker: totals('Banker totals; any where absent.'),
            says: said('What the banker hand does.'),
            against: {
              enum: ['anything', 'any-third-card', 'stood', 'stood-higher'],
              description: 'Against what.',
            },
          },
          ['says', 'against'],
        ),
      },
    },
    ['chart', 'source', 'values', 'naturals', 'player', 'banker'],
  ),
};
