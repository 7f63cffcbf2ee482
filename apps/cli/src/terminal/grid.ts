import Table from 'cli-table3';
import { colours } from './colours.js';

/**
 * Renders a table with a line under its headings. The first column is aligned left, the others
 * right.
 */
export function grid(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const none = {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  };
  const table = new Table({
    chars: none,
    head: heads.map((head) => colours.dim(head)),
    colAligns: heads.map((_, i) => (i === 0 ? 'left' : 'right')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
