import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#process';

/** Answers of the sample day by operation, and the events `card` and `outcome`. */
type Examples = Readonly<Record<string, unknown>>;

/**
 * Reads the examples of the document, which `npm run docs:examples` takes from the sample day.
 * Throws if the package has none.
 */
export const sampleDayExamples = (): Examples =>
  JSON.parse(readFileSync(join(packageFolder(), 'docs', 'api-examples.json'), 'utf8')) as Examples;
