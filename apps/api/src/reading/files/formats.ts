import type { FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problems.js';

/** The media type of each format of an answer that has lines. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson',
} as const;
/** The name of a format. */
export type Format = keyof typeof MEDIA_TYPES;

/** The formats of a list or report: a page at a time as JSON, or whole as CSV or XLSX. */
export const LIST_FORMATS = ['json', 'csv', 'xlsx'] as const satisfies readonly Format[];

/** Whether CSV begins with a byte order mark. */
export const MARKS = ['true', 'false'] as const;
/** One of `MARKS`. */
export type Mark = (typeof MARKS)[number];

/**
 * Returns the format of the answer: `asked` if it is given, or else what `Accept` prefers, and the
 * earliest offered in a tie. Throws `invalid-request` if the route does not offer what is asked
 * for, and `not-acceptable` if `Accept` takes none.
 */
export function formatAsked(
  request: FastifyRequest,
  offered: readonly Format[],
  asked?: unknown,
): Format {
  if (asked !== undefined)
    return (
      offered.find((format) => format === asked) ??
      refuse(`must be one of the following values: ${offered.join(', ')}`)
    );
  const weighed = offered.map((format) => ({ format, weight: weightOf(request, format) }));
  const [best] = weighed.sort((a, b) => b.weight - a.weight);
  if (best === undefined || best.weight === 0)
    throw new Problem(
      'not-acceptable',
      `this route returns ${offered.map((format) => MEDIA_TYPES[format]).join(' or ')}`,
    );
  return best.format;
}

function refuse(reason: string): never {
  throw new Problem('invalid-request', undefined, { errors: [{ pointer: '/format', reason }] });
}

/**
 * Returns the weight of a format in `Accept`, 0 to 1, by its narrowest matching range (RFC 9110,
 * 12.5.1).
 */
function weightOf({ headers }: FastifyRequest, format: Format): number {
  const type = MEDIA_TYPES[format];
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
