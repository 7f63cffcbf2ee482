import { colours } from '../terminal/colours.js';
import { columns, wrapped } from '../terminal/page.js';

/** Returns an empty line and the heading of a section, with a note behind it. */
export const sectionLines = (name: string, note = ''): string[] => [
  '',
  `${colours.bold(name)}${note}`,
];

/** Returns a fact with its name before it, wrapped. */
export const factLines = (name: string, text: string): string[] =>
  wrapped(text, columns() - 14).map((line, i) => `  ${(i === 0 ? name : '').padEnd(12)}${line}`);
