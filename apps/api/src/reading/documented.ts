import { applyDecorators, UseInterceptors } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { RecordedReading } from '../house/recorded-reading.js';
import { Refuses } from '../problems/refuses.js';
import { type Format, LIST_FORMATS, MEDIA_TYPES } from './files/formats.js';
import { Offers } from './files/offers.js';
import { LOG_POSITION, MIN_POSITION, POSITIONS_PATTERN } from './positions.js';
import { ReadAnswer } from './read-answer.interceptor.js';

type Answer = abstract new () => object;

/** Documents a route that reads rows, and has `ReadAnswer` make its answer. */
export const Read = (summary: string, answer: Answer): MethodDecorator =>
  documented(summary, answer, ['json']);

/** Documents a route as `Read` does, and offers its lines as a file of CSV or XLSX as well. */
export const ReadLines = (summary: string, answer: Answer): MethodDecorator =>
  applyDecorators(
    UseInterceptors(RecordedReading),
    Refuses('invalid-request', 'too-large', 'too-many-at-once'),
    documented(summary, answer, LIST_FORMATS),
  );

const BYTES = { type: 'string' } as const;
const HEADERS = {
  [LOG_POSITION]: {
    description: 'The positions of the log that the answer includes',
    schema: { type: 'string', pattern: `${POSITIONS_PATTERN}|^$` },
  },
  ETag: {
    description: 'A digest of the answer in JSON. A file has none',
    schema: { type: 'string' },
  },
} as const;

const documented = (summary: string, answer: Answer, formats: readonly Format[]): MethodDecorator =>
  applyDecorators(
    Offers(formats),
    UseInterceptors(ReadAnswer),
    Refuses(
      'malformed-request',
      'invalid-request',
      'not-acceptable',
      'not-yet-visible',
      'not-ready',
    ),
    ApiOperation({ summary }),
    ApiHeader({
      name: MIN_POSITION,
      required: false,
      description: 'The `Log-Position` of an append: waits up to 2 s until the rows include it',
      schema: { type: 'string', pattern: POSITIONS_PATTERN },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier answer: returns 304 if the answer is the same',
      schema: { type: 'string' },
    }),
    ApiExtraModels(answer),
    ApiResponse({
      status: 200,
      description: 'The requested data',
      headers: HEADERS,
      content: {
        ...Object.fromEntries(formats.map((format) => [MEDIA_TYPES[format], { schema: BYTES }])),
        [MEDIA_TYPES.json]: { schema: { $ref: getSchemaPath(answer) } },
      },
    }),
    ApiResponse({ status: 304, description: 'The answer is the same', headers: HEADERS }),
  );
