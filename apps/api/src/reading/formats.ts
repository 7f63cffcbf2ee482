import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.js';

/** The formats of an answer that has lines. */
export const FORMATS = ['json', 'csv'] as const;
/** One of `FORMATS`. */
export type Format = (typeof FORMATS)[number];

/** Whether CSV begins with a byte order mark. */
export const MARKS = ['true', 'false'] as const;
/** One of `MARKS`. */
export type Mark = (typeof MARKS)[number];

/**
 * Returns the format of the answer: `asked`, or else what `Accept` prefers, and JSON in a tie.
 * Throws `not-acceptable` if `Accept` takes neither.
 */
export function formatAsked(request: FastifyRequest, asked: unknown): Format {
  if (asked === 'json' || asked === 'csv') return asked;
  const [json, csv] = [weightOf(request, 'application/json'), weightOf(request, 'text/csv')];
  if (json === 0 && csv === 0)
    throw new Problem('not-acceptable', 'this route returns application/json or text/csv');
  return json >= csv ? 'json' : 'csv';
}

/** Throws `not-acceptable` if a request does not accept JSON. */
export function acceptsJson(request: FastifyRequest): void {
  if (weightOf(request, 'application/json') === 0)
    throw new Problem('not-acceptable', 'this route returns application/json');
}

/**
 * Returns the weight of a media type in `Accept`, 0 to 1, by its narrowest matching range (RFC
 * 9110, 12.5.1).
 */
function weightOf({ headers }: FastifyRequest, type: string): number {
  const ranges = (headers.accept?.trim() || '*/*').split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(
      parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1,
    );
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((each) => each.name === name);
    if (range) return range.weight;
  }
  return 0;
}
