/** Adds up a number of each line. */
export const sum = <Line>(lines: readonly Line[], of: (line: Line) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);

/** Returns the lines of each currency, in order of their codes. Money of two is never added. */
export function byCurrency<Line extends { readonly currency: string }>(
  lines: readonly Line[],
): readonly (readonly [currency: string, lines: readonly Line[]])[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const group = groups.get(line.currency);
    if (group) group.push(line);
    else groups.set(line.currency, [line]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A seat's commission of one coup, as far as it counts. */
interface OfCoup {
  readonly state: string;
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
}

/**
 * Adds up the commission of coups as the report does: nothing is due or marked for a coup that was
 * voided, but what was taken stays.
 */
export function commissionOf(lines: readonly OfCoup[]): Omit<OfCoup, 'state'> {
  const standing = lines.filter(({ state }) => state !== 'void');
  return {
    due: sum(standing, ({ due }) => due),
    taken: sum(lines, ({ taken }) => taken),
    marked: sum(standing, ({ marked }) => marked),
  };
}
