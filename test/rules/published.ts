import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyDocument } from '#audit';
import type { Chart, RuleDocument } from '#baccarat';

/** The folder of published documents. */
export const RULES = join(process.cwd(), 'rules');

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(RULES, ...path), 'utf8'));

/** Every published reference, `id@version`. */
export const REFS = readdirSync(RULES)
  .filter((name) => name.includes('@'))
  .map((name) => name.replace('.json', ''));

/** Returns a fresh copy of a published document. */
export const published = (ref: string): RuleDocument => json(`${ref}.json`) as RuleDocument;

/** Returns a fresh copy of a published review policy. */
export const publishedPolicy = (ref: string): PolicyDocument =>
  json('policies', `${ref}.json`) as PolicyDocument;

/** Returns a fresh copy of the chart of seed 000 to 004. */
export const seedChart = (seed: string): Chart => json('charts', `seed-${seed}.json`) as Chart;

/** Returns a published schema. */
export const schema = (name: string): object => json(`${name}.schema.json`) as object;

/**
 * Returns a copy of a JSON value in which the value at `pointer` is `value`, or is removed without
 * a value.
 */
export function altered<T>(document: T, pointer: string, value?: unknown): T {
  const copy = structuredClone(document) as Record<string, unknown>;
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = steps.pop() as string;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else Reflect.deleteProperty(at, last);
  return copy as T;
}
