import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ownMetrics } from './metric-names.js';

/**
 * Returns the rows of a table that begin with a metric: its name, its meaning, and when to worry.
 */
const ROWS = [
  ...readFileSync('docs/operating/metrics.md', 'utf8').matchAll(
    /^\| `(shoeprint_\w+)`[^|]*\|([^|]*)\|([^|]*)\|$/gm,
  ),
];

describe('docs/operating/metrics.md', () => {
  it('describes every metric that the server registers, and no other, each once', () => {
    expect(ROWS.map(([, name]) => name).sort()).toEqual([...ownMetrics()].sort());
  });

  it('explains what each means and when to worry', () => {
    for (const [, name, meaning, worry] of ROWS) {
      expect({
        name,
        said: (meaning as string).trim().length > 10 && (worry as string).trim().length > 3,
      }).toEqual({ name, said: true });
    }
  });
});
