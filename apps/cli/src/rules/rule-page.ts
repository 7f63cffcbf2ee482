import {
  burnInWords,
  commissionInWords,
  departures,
  predicateInWords,
  readTableau,
  sourceNotes,
  type BetText,
  type Irregularity,
  type RuleDocument,
} from '#baccarat';
import { colours } from '../terminal/colours.js';
import { ACTION_WORDS } from '../audit/finding-words.js';
import { columns, wrapped } from '../terminal/page.js';
import { factLines as fact, sectionLines as section } from './page-parts.js';

/**
 * Renders a rule document for people, as a rule book prints it. Marks values without a regulator's
 * text as provisional.
 */
export function documentPage(document: RuleDocument, hash: string): string[] {
  const { id, version, title, game, decks } = document;
  const note = notes(document);
  return [
    colours.bold(`${id}@${version}  ${title}`),
    ...fact('game', game),
    ...fact('decks', `${decks.join(', ')}${note('/decks')}`),
    ...(hash === '' ? [] : fact('SHA-256', hash)),
    ...section('Drawing', note('/tableau')),
    ...tableauLines(document),
    ...section('Bets'),
    ...(document.bets.length === 0
      ? ['  none: only the drawing is judged']
      : document.bets.flatMap((bet, i) => betLines(bet, note(`/bets/${i}`)))),
    ...moneyLines(document, note),
    ...procedureLines(document, note),
    ...section('Irregularities'),
    ...irregularityLines(document, note),
    ...section('Sources'),
    ...sourceLines(document),
  ];
}

type Note = ReturnType<typeof notes>;

const moneyLines = ({ commission, payouts }: RuleDocument, note: Note): string[] => [
  ...section('Money'),
  ...fact(
    'commission',
    commission ? `${commissionInWords(commission)}${note('/commission/rate')}` : 'none',
  ),
  ...fact(
    'payouts',
    payouts
      ? `to ${payouts.rounding.unit} (${payouts.rounding.mode})${note('/payouts')}`
      : 'to 1 (half-up)',
  ),
  '  (amounts in the minor unit of the currency)',
];

function procedureLines(document: RuleDocument, note: Note): string[] {
  const { specials, burn, cutCard, clockTolerance, procedure } = document;
  return [
    ...section('Shoe and procedure'),
    ...fact('burn', `${burn.map(burnInWords).join(' or ') || 'not stated'}${note('/burn')}`),
    ...fact(
      'cut card',
      `${cutCard.insideCoup} more when it shows inside a coup, ${cutCard.betweenCoups} when between coups${note('/cutCard')}`,
    ),
    ...fact('announced', `${specials.join(', ') || 'nothing'}${note('/specials')}`),
    ...fact('clocks', `may disagree by ${clockTolerance} s${note('/clockTolerance')}`),
    ...(procedure.demonstrationHands === undefined
      ? []
      : fact(
          'shown hands',
          `at most ${procedure.demonstrationHands} demonstration hands${note('/procedure')}`,
        )),
  ];
}

/** Returns the note of a value: the number of its source, and whether it is provisional. */
const notes =
  (document: RuleDocument) =>
  (pointer: string): string => {
    const found = sourceNotes(document, pointer).map(
      ({ number, isProvisional }) => `${number}${isProvisional ? ' provisional' : ''}`,
    );
    return found.length > 0 ? ` [${found.join(', ')}]` : '';
  };

function tableauLines({ tableau }: RuleDocument): string[] {
  const differs = departures(readTableau(tableau.player, tableau.banker, 'tableau'));
  const letters = (row: string): string =>
    Array.from(row)
      .map((letter) =>
        letter === 'D'
          ? colours.bold('D')
          : letter === 'S'
            ? colours.dim('S')
            : colours.yellow(letter),
      )
      .join(' ');
  return [
    "                   0 1 2 3 4 5 6 7    the player hand's total",
    `  player           ${letters(tableau.player)}`,
    '',
    "                   0 1 2 3 4 5 6 7 8 9  stood   the value of the player's third card",
    ...tableau.banker.map(
      (row, total) => `  banker has ${total}     ${letters(row.replace(' ', ''))}`,
    ),
    `  D draw, S stand${[tableau.player, ...tableau.banker].some((row) => row.includes('O')) ? ', O optional' : ''}; 8 and 9 on two cards end the drawing`,
    ...(differs.length === 0
      ? ['  the standard table']
      : [
          '  departs from the standard table:',
          ...differs.map((difference) => `    ${difference}`),
        ]),
  ];
}

function betLines({ id, title, pushes, pays, commission }: BetText, note: string): string[] {
  return [
    `  ${colours.bold(id)}${title && title !== id ? ` "${title}"` : ''}${commission ? ', bears commission' : ''}${note}`,
    ...pays.map(
      ({ when, odds, special }) =>
        `      pays ${odds} when ${predicateInWords(when)}${special ? ' (instead of commission)' : ''}`,
    ),
    ...(pushes ?? []).map(
      ({ when, special }) =>
        `      pushes when ${predicateInWords(when)}${special ? ' (instead of commission)' : ''}`,
    ),
  ];
}

function irregularityLines(
  { irregularities, sources }: RuleDocument,
  note: (pointer: string) => string,
): string[] {
  if (irregularities.length === 0) return ['  nothing is prescribed'];
  return irregularities.flatMap((entry, i) => {
    const does = `${entry.do.map((action) => ACTION_WORDS[action]).join(', then ')}: ${sources[entry.source]?.title ?? entry.source}, ${entry.section}${note(`/irregularities/${i}`)}`;
    return [
      `  ${colours.bold(entry.codes.join(', '))}${circumstances(entry)}`,
      ...wrapped(does, columns() - 6).map((line) => `      ${line}`),
    ];
  });
}

const CIRCUMSTANCES: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  exposed: ['the card was exposed', 'the card was not exposed'],
  firstCard: ['it is the first card', 'it is not the first card'],
  lastCoup: ['it is the last coup', 'it is not the last coup'],
  bankerMustDraw: ['the banker hand must draw', 'the banker hand need not draw'],
};

function circumstances({ when }: Irregularity): string {
  const parts = Object.entries(when ?? {}).map(([name, wanted]) =>
    typeof wanted === 'boolean'
      ? (CIRCUMSTANCES[name]?.[wanted ? 0 : 1] ?? name)
      : `it belongs to the ${String(wanted)} hand`,
  );
  return parts.length > 0 ? ` if ${parts.join(' and ')}` : '';
}

const sourceLines = ({ sources }: RuleDocument): string[] =>
  Object.values(sources).flatMap(({ title, section: part, edition }, i) =>
    wrapped(`${title}, ${part} (${edition})`, columns() - 8).map(
      (line, at) => `  ${at === 0 ? `[${i + 1}]`.padEnd(5) : '     '} ${line}`,
    ),
  );
