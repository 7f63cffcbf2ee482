import type { RuleBook } from '#audit';
import { audit, type Sent } from './audit.js';
import { BOOK } from './house.js';
import { StoryTable } from './story-table.js';

/**
 * One or more recorded coups, as a floor manager writes them. test/stories/README.md describes the
 * form.
 */
export interface Story {
  /** Its first comment line. */
  readonly title: string;
  readonly events: readonly Sent[];
  /**
   * The expected findings, sorted: `TC-08`, or with its mark `PY-03 (odds-read-as-for)`, or with
   * its coup `TC-08 in coup 2`.
   */
  readonly finds: readonly string[];
  /** The codes that cannot be judged, sorted and distinct. */
  readonly unjudgeable: readonly string[];
}

const VERDICTS = ['finds', 'unjudgeable'];
const FINDING = /^([A-Z]{2}-\d\d)( in coup \d+)?( \([a-z0-9, -]+\))?$/;

/**
 * Parses a story. Throws, with `file` and the line number, for an unknown word or a line that
 * cannot be parsed.
 */
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

/** A line of a story, and a way to reject it. */
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
  if (!match) return refuse(`"${line}" is not a line of a story`);
  return { word: match[1] as string, value: (match[2] as string).trim(), refuse };
}

/** Returns the codes of a `finds:` or `unjudgeable:` line, ready to compare. */
function listed({ value, refuse }: Line): string[] {
  if (value === 'nothing') return [];
  return value.split(/,(?![^(]*\))/).map((each) => {
    const text = each.trim();
    return FINDING.test(text) ? text : refuse(`"${text}" is not a finding`);
  });
}

/** Returns what the auditor finds in a story, in the story's own words. */
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

/** Returns what a story expects, to compare with `heard`. */
export const told = ({ finds, unjudgeable }: Story): Pick<Story, 'finds' | 'unjudgeable'> => ({
  finds,
  unjudgeable,
});

/** Returns the findings in a story's lines, and what cannot be judged in them. */
export const judged = (
  lines: string,
  book: RuleBook = BOOK,
): Pick<Story, 'finds' | 'unjudgeable'> =>
  heard(readStory(`${lines}\nfinds: nothing`, 'a case'), book);

/** Returns the findings in a story's lines. */
export const found = (lines: string, book: RuleBook = BOOK): readonly string[] =>
  judged(lines, book).finds;
