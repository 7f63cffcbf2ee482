import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Whole } from '../docs/answer-fields.js';
import { sampleDayExamples } from '../docs/examples.js';
import { Refuses } from '../problems/refuses.js';
import { LOG_POSITION, POSITIONS_PATTERN } from '../reading/positions.js';
import { FORMS } from './body/event-form.js';
import { CHECKED_MAX } from './check/check-events.js';
import { CheckedAnswer } from './check/check.answer.js';

/** The number of events recorded, which is the number sent. */
class AcceptedAnswer {
  @Whole() accepted!: number;
}

const { card: CARD, outcome: OUTCOME } = sampleDayExamples();
const TWO = 'A card and an outcome';

const EVENT = { $ref: '#/components/schemas/TableEvent' };

const BODY = {
  required: true,
  content: {
    [FORMS.event.mediaType]: {
      schema: EVENT,
      examples: { card: { summary: 'A card drawn', value: CARD } },
    },
    [FORMS.batch.mediaType]: {
      schema: { type: 'array', items: EVENT },
      examples: { two: { summary: TWO, value: [CARD, OUTCOME] } },
    },
    [FORMS.lines.mediaType]: {
      schema: { type: 'string', description: 'One event a line' },
      examples: {
        two: {
          summary: TWO,
          value: `${JSON.stringify(CARD)}\n${JSON.stringify(OUTCOME)}\n`,
        },
      },
    },
  },
};

/** Documents the route that takes events. */
export const EventsDocumented = (): MethodDecorator =>
  applyDecorators(
    ApiTags('events'),
    ApiOperation({
      summary: 'Record table events',
      description:
        'Takes one event, a batch, or lines. Bodies may be compressed with gzip. ' +
        'The request is validated whole: if one event is malformed, or is not yours to write, ' +
        'nothing is recorded. Limits: 16 KiB for an event, 64 KiB for a single one as sent, ' +
        '16 MiB and 50,000 events for a batch or lines. ' +
        'After 503 or 504 send the same request again: an event is admitted once.',
      requestBody: BODY,
    }),
    ApiQuery({
      name: 'check',
      required: false,
      schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
      description: `\`true\` judges the events by themselves, as if their tables were empty, and records nothing. At most ${CHECKED_MAX} events`,
    }),
    ApiHeader({
      name: 'Content-Encoding',
      required: false,
      schema: { type: 'string', enum: ['gzip', 'identity'] },
    }),
    ApiResponse({
      status: 200,
      type: CheckedAnswer,
      description: 'With `check=true`: what the auditor says of the events; none was recorded',
    }),
    ApiResponse({
      status: 202,
      type: AcceptedAnswer,
      description: 'Every event is durable',
      headers: {
        [LOG_POSITION]: {
          schema: { type: 'string', pattern: POSITIONS_PATTERN },
          description:
            'For each partition written, the position to wait for with `Min-Position`; absent if there was no event',
        },
      },
    }),
    Refuses('malformed-events', 'source-not-yours', 'not-recorded', 'outcome-unknown'),
  );
