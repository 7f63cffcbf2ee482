import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Positions } from '#read-model';
import { LOG_POSITION, MIN_POSITION, minPosition } from './positions.js';
import { Problem } from '../problems/problems.js';
import type { Format } from './filter-fields.js';

/** The position that a request wants to see at least. Throws `invalid-request` where the header says none. */
export const leastOf = (request: FastifyRequest): Positions | undefined => {
  const header = request.headers[MIN_POSITION.toLowerCase()];
  return minPosition(Array.isArray(header) ? header.join(',') : header);
};

/** The form that a request wants: `format` says it, else `Accept`, and JSON where both are as welcome. Throws `not-acceptable` where it takes neither CSV nor JSON. */
export function formatOf(request: FastifyRequest, asked: Format | undefined): Format {
  if (asked) return asked;
  const [json, csv] = [wish(request, 'application/json'), wish(request, 'text/csv')];
  if (json === 0 && csv === 0)
    throw new Problem('not-acceptable', 'this is answered as application/json or text/csv');
  return json >= csv ? 'json' : 'csv';
}

/** Throws `not-acceptable` where a request does not take JSON, which is the one form that this is answered in. */
export function jsonOnly(request: FastifyRequest): void {
  if (wish(request, 'application/json') === 0)
    throw new Problem('not-acceptable', 'this is answered as application/json');
}

/** How much a request wishes for a media type, 0 to 1: what the narrowest range of its `Accept` that has the type says (RFC 9110, 12.5.1). */
function wish({ headers }: FastifyRequest, type: string): number {
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

/** What is answered, in one of its forms, true of these positions of the log. */
export interface Answer {
  readonly positions: string;
  readonly type: 'application/json; charset=utf-8' | 'text/csv; charset=utf-8';
  readonly body: string;
  /** What a browser calls the file that it keeps. */
  readonly file?: string;
}

/** Sends what was read, with its positions and an ETag of its bytes; 304 where the reader has those bytes already. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { positions, type, body, file }: Answer,
): void {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  void reply
    .header('ETag', tag)
    .header(LOG_POSITION, positions)
    .header('Vary', 'Accept, Authorization');
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) return void reply.code(304).send();
  if (file !== undefined)
    void reply.header('Content-Disposition', `attachment; filename="${file}"`);
  void reply.code(200).header('Content-Type', type).send(body);
}

/** Something read, as JSON or as a file of CSV. */
export function answerAs<Result extends object>(
  form: Format,
  read: { readonly positions: string; readonly result: Result },
  csv: (result: Result) => string,
  name: string,
): Answer {
  return form === 'json'
    ? asJson(read)
    : {
        positions: read.positions,
        type: 'text/csv; charset=utf-8',
        body: csv(read.result),
        file: `${name}.csv`,
      };
}

/** The JSON form of something read. */
export const asJson = <Result extends object>({
  positions,
  result,
}: {
  readonly positions: string;
  readonly result: Result;
}): Answer => ({
  positions,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({ positions, ...result }),
});
