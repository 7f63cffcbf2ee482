import { durationInWords, moneyText, type PolicyDocument } from '#audit';
import { colours } from '../terminal/colours.js';
import { factLines as fact, sectionLines as section } from './page-parts.js';

/** Renders a review policy for people: who may do what, when two are needed, and until when. */
export function policyPage(policy: PolicyDocument, hash: string): string[] {
  const { id, version, title, may, undo } = policy;
  return [
    colours.bold(`${id}@${version}  ${title}`),
    ...fact('SHA-256', hash),
    ...section('Who may'),
    ...fact('propose', may.propose.join(', ')),
    ...fact('sign', may.sign.join(', ')),
    ...fact('reopen', may.reopen.join(', ')),
    ...fact('', `and the person who made the ruling final, within ${durationInWords(undo)}`),
    ...section('When two persons are needed'),
    ...twoLines(policy.two),
    ...section('Time'),
    ...timeLines(policy),
    ...section('Dispositions'),
    ...dispositionLines(policy),
  ];
}

function twoLines({ severities, codes, dispositions, from }: PolicyDocument['two']): string[] {
  const amounts = Object.entries(from).map(([currency, amount]) => moneyText(amount, currency));
  return [
    ...fact('severities', severities.join(', ') || 'none'),
    ...fact('findings', codes.join(', ') || 'none'),
    ...fact('rulings', dispositions.join(', ') || 'none'),
    ...fact(
      'amounts',
      amounts.length === 0 ? 'any' : `from ${amounts.join(', ')}; any amount in another currency`,
    ),
  ];
}

const timeLines = ({ due, lease, video }: PolicyDocument): string[] => [
  ...Object.entries(due).flatMap(([severity, seconds]) =>
    fact(`severity ${severity}`, `a ruling is due within ${durationInWords(seconds)}`),
  ),
  ...fact('claim', `lasts ${durationInWords(lease)} unless it is renewed`),
  ...fact(
    'video',
    `kept for ${durationInWords(video.kept)}; of a coup from ${durationInWords(video.before)} before its opening to ${durationInWords(video.after)} after its end`,
  ),
];

const dispositionLines = ({ dispositions }: PolicyDocument): string[] => [
  colours.dim('                            counts  needs'),
  ...dispositions.map(({ code, needs, counts }) =>
    `  ${code.padEnd(26)}${(counts ? 'yes' : 'no').padEnd(8)}${needs.join(', ')}`.trimEnd(),
  ),
];
