/** Reads a list that a person types: entries are separated by commas, spaces or new lines. */
export const listOf = (text: string): string[] =>
  [...new Set(text.split(/[\s,;，、；]+/u))].filter((entry) => entry !== '');

/** Writes a list as it is typed. */
export const textOf = (list: readonly string[]): string => list.join(', ');
