import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { EVENT_TYPES, fullName } from '#audit';
import {
  documentOf,
  Problem,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type ProblemExtras,
  type ProblemName,
} from '../problems/problems.js';
import { FORMS } from './event-form.js';

type SchemaObject = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { $ref: string }
>;

const CARD = {
  specversion: '1.0',
  type: 'shoeprint.card-drawn.v1',
  source: 'device/B07-shoe',
  id: 'B07-shoe/7/42',
  time: '2026-11-20T12:00:00.123Z',
  table: 'B07',
  shoe: 'B07-20261120-3',
  session: '7',
  sequence: 42,
  data: { card: '9S', to: 'player' },
};
const OUTCOME = {
  specversion: '1.0',
  type: 'shoeprint.outcome-declared.v1',
  source: 'device/B07-terminal',
  id: 'B07-terminal/3/9',
  time: '2026-11-20T12:00:09.000Z',
  table: 'B07',
  shoe: 'B07-20261120-3',
  session: '3',
  sequence: 9,
  data: { outcome: 'player', player: 9, banker: 4, by: 'dealer' },
};

const text = (description: string, example?: string): SchemaObject => ({
  type: 'string',
  description,
  minLength: 1,
  ...(example !== undefined && { example }),
});

/** One table event, as far as a schema can say it: the data of each type is told in the contract. */
const EVENT: SchemaObject = {
  type: 'object',
  required: ['specversion', 'type', 'source', 'id', 'time', 'table', 'data'],
  properties: {
    specversion: { type: 'string', enum: ['1.0'] },
    type: { type: 'string', enum: EVENT_TYPES.map(fullName) },
    source: text('device/…, person/…, virtual/… or system/…', CARD.source),
    id: text('with `source`, what names this event: a repeat of both is admitted once', CARD.id),
    time: {
      type: 'string',
      format: 'date-time',
      description: "the source's own clock",
      example: CARD.time,
    },
    table: text('the table, or @house for what belongs to none', CARD.table),
    shoe: text('the shoe, unique within the table; required on the events of a shoe', CARD.shoe),
    session: text('boot id of a device; comes together with `sequence`', CARD.session),
    sequence: {
      type: 'integer',
      minimum: 1,
      description: 'from 1 without holes in a session',
      example: CARD.sequence,
    },
    data: { type: 'object', description: 'what the event says, by its type' },
    datacontenttype: {
      type: 'string',
      enum: ['application/json'],
      description: 'accepted, not kept',
    },
    traceparent: { type: 'string', description: 'accepted, not kept' },
  },
  additionalProperties: false,
  example: CARD,
};

const problem = (
  name: ProblemName,
  description: string,
  detail: string,
  extras: ProblemExtras = {},
): MethodDecorator => {
  const { status } = PROBLEMS[name];
  const headers = Object.entries(extras.headers ?? {}).map(
    ([name, example]) => [name, { schema: { type: 'string', example } as const }] as const,
  );
  return ApiResponse({
    status,
    description,
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: PROBLEM,
        example: documentOf(new Problem(name, detail, extras)),
      },
    },
    headers: Object.fromEntries(headers),
  });
};

const PROBLEM: SchemaObject = {
  type: 'object',
  description: 'a problem document of RFC 9457',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'reason'],
        properties: {
          position: {
            type: 'integer',
            minimum: 1,
            description:
              'the line (empty ones are numbered too), or the place in the batch, from 1',
          },
          pointer: {
            type: 'string',
            description: 'JSON pointer into the event; empty where the whole event is meant',
          },
          reason: { type: 'string' },
        },
      },
    },
  },
};

/** What the page of the api says about sending events. */
export const EventsDocumented = (): MethodDecorator =>
  applyDecorators(
    ApiTags('events'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Record table events',
      description:
        'Takes one event, a batch, or lines; bodies may be packed with gzip. The request is checked whole: one malformed event, or one that is not yours to write, and nothing is recorded. ' +
        'An event at most 16 KiB, a single one 64 KiB as sent, a batch or lines 16 MiB and 50,000 events. Send again what was answered 503 or 504: the same event is admitted once.',
      requestBody: {
        required: true,
        content: {
          [FORMS.event.mediaType]: {
            schema: EVENT,
            examples: { card: { summary: 'a card drawn to the player hand', value: CARD } },
          },
          [FORMS.batch.mediaType]: {
            schema: { type: 'array', items: EVENT },
            examples: { two: { summary: 'a card and an outcome', value: [CARD, OUTCOME] } },
          },
          [FORMS.lines.mediaType]: {
            schema: { type: 'string', description: 'one event a line' },
            examples: {
              two: {
                summary: 'a card and an outcome',
                value: `${JSON.stringify(CARD)}\n${JSON.stringify(OUTCOME)}\n`,
              },
            },
          },
        },
      },
    }),
    ApiHeader({
      name: 'Content-Encoding',
      required: false,
      schema: { type: 'string', enum: ['gzip'] },
    }),
    ApiResponse({
      status: 202,
      description: 'Every event is durable.',
      headers: {
        'Log-Position': {
          schema: { type: 'string', example: '3:1207,9:88' },
          description:
            'for each partition written, the position to wait for with `Min-Position`; absent where there was no event',
        },
      },
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['accepted'],
            properties: { accepted: { type: 'integer', minimum: 0 } },
          },
          example: { accepted: 2 },
        },
      },
    }),
    problem(
      'malformed-events',
      'Malformed: nothing was recorded.',
      '1 of 2 events is malformed; nothing was recorded.',
      {
        errors: [
          {
            position: 2,
            pointer: '/data/card',
            reason:
              '"1S" is not a card (expected rank and suit, such as "9S" or "TD"), or null for an unread card',
          },
        ],
      },
    ),
    problem(
      'not-signed-in',
      'Nobody is named by the request.',
      'The request bears no token, or one that is not known.',
      { headers: { 'WWW-Authenticate': 'Bearer realm="shoeprint"' } },
    ),
    problem(
      'source-not-yours',
      'Not yours to write: nothing was recorded.',
      "1 of 2 events is not this identity's to write; nothing was recorded.",
      {
        errors: [
          {
            position: 1,
            pointer: '/source',
            reason: '"device/B08-shoe" is not a source that device/gateway-7 may write',
          },
        ],
      },
    ),
    problem(
      'too-slow',
      'The body did not arrive in time: nothing was recorded.',
      'The body took longer than the server waits.',
    ),
    problem(
      'too-large',
      'Too large: nothing was recorded.',
      'A request takes at most 50000 events.',
    ),
    problem(
      'media-type-not-taken',
      'Another media type, charset or packing.',
      `Events are sent as ${Object.values(FORMS)
        .map(({ mediaType }) => mediaType)
        .join(', ')}, in UTF-8.`,
    ),
    problem(
      'not-recorded',
      'Nothing was recorded: send it again.',
      'The log takes nothing now. Nothing of this request was recorded; send it again.',
      { headers: { 'Retry-After': '1' } },
    ),
    problem(
      'outcome-unknown',
      'Some of it may be recorded: send the same again.',
      'Some or all of this request may be recorded. Send the same again: what is recorded already is admitted once.',
      { headers: { 'Retry-After': '1' } },
    ),
  );
