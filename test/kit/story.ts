import type { RuleBook } from '#audit';
import { audit, type Sent } from './audit.js';
import { BOOK } from './house.js';
import { StoryTable } from './story-table.js';

/** A recorded coup, or several, as a floor manager writes it down: test/stories/README.md describes the form. */
export interface Story {
  /** Its first comment line. */
  readonly title: string;
  readonly events: readonly Sent[];
  /** What must be found, sorted: `TC-08`, or with what marks it `PY-03 (odds-read-as-for)`, or with its place `TC-08 in coup 2`. */
  readonly finds: readonly string[];
  /** Codes that cannot be judged, sorted, each once. */
  readonly unjudgeable: readonly string[];
}

const VERDICTS = ['finds', 'unjudgeable'];
const FINDING = /^([A-Z]{2}-\d\d)( in coup \d+)?( \([a-z0-9, -]+\))?$/;

/** Reads a story. `file` names it in what is thrown: an unknown word or a line that cannot be read, with its line number. */
export function readStory(text: string, file: string): Story {
  const lines = text.split('\n').map((line) => line.trim());
  const title = lines.find((line) => line.startsWith('#'))?.replace(/^#+\s*/, '') ?? file;
  const told = lines.flatMap((line, index) =>
    line === '' || line.startsWith('#') ? [] : [said(line, index + 1, file)],
  );
  const table = new StoryTable(told);
  for (const line of told) if (!VERDICTS.includes(line.word)) table.tell(line);
  const verdict = (word: string): string[] =>
    told
      .filter((line) => line.word === word)
      .flatMap(listed)
      .sort();
  if (!told.some(({ word }) => word === 'finds'))
    throw new Error(`${file}: no line says what it "finds:"`);
  return {
    title,
    events: table.finished(),
    finds: verdict('finds'),
    unjudgeable: verdict('unjudgeable'),
  };
}

/** A line of a story, and how to say that it cannot be read. */
export interface Line {
  readonly word: string;
  readonly value: string;
  readonly refuse: (why: string) => never;
}

function said(line: string, number: number, file: string): Line {
  const refuse = (why: string): never => {
    throw new Error(`${file}:${number}: ${why}`);
  };
  const match = /^([a-z][a-z ]*?)\s*:(.*)$/.exec(line);
  if (!match) return refuse(`"${line}" is no line of a story`);
  return { word: match[1] as string, value: (match[2] as string).trim(), refuse };
}

/** The codes that a `finds:` or `unjudgeable:` line lists, as they are compared. */
function listed({ value, refuse }: Line): string[] {
  if (value === 'nothing') return [];
  return value.split(/,(?![^(]*\))/).map((each) => {
    const text = each.trim();
    return FINDING.test(text) ? text : refuse(`"${text}" is no finding`);
  });
}

/** What the auditor says of a story, in the story's own words. */
export function heard(
  { events, finds }: Story,
  book: RuleBook = BOOK,
): Pick<Story, 'finds' | 'unjudgeable'> {
  const { findings, unjudgeable } = audit(events, { book });
  const placed = finds.some((find) => find.includes(' in coup '));
  return {
    finds: findings
      .map(({ code, coup, explainedBy, remedied, void: isVoid }) => {
        const marks = [
          ...(explainedBy ? [explainedBy] : []),
          ...(isVoid ? ['void'] : []),
          ...(remedied ? ['remedied'] : []),
        ];
        return `${code}${placed && coup !== undefined ? ` in coup ${coup}` : ''}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
      })
      .sort(),
    unjudgeable: [...new Set(unjudgeable.flatMap(({ codes }) => codes))].sort(),
  };
}

/** What a story says must be found, to be compared with what is `heard`. */
export const told = ({ finds, unjudgeable }: Story): Pick<Story, 'finds' | 'unjudgeable'> => ({
  finds,
  unjudgeable,
});

/** What is found in a story's lines, and what cannot be judged in them. */
export const judged = (
  lines: string,
  book: RuleBook = BOOK,
): Pick<Story, 'finds' | 'unjudgeable'> =>
  heard(readStory(`${lines}\nfinds: nothing`, 'a case'), book);

/** What is found in a story's lines. */
export const found = (lines: string, book: RuleBook = BOOK): readonly string[] =>
  judged(lines, book).finds;
