import { applyDecorators, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { REFUSALS } from '#audit';
import { REVIEW_COMMANDS, type ReviewCommand } from '#read-model';
import { TextParam } from '../../http/parameters.js';
import { Requires } from '../../identity/requires.js';
import { dataSchema } from '../../ingest/events/event-schemas.js';
import { Refuses } from '../../problems/refuses.js';
import { LOG_POSITION, POSITIONS_PATTERN } from '../../reading/positions.js';
import { ActedAnswer } from './acted-answer.interceptor.js';
import { IDEMPOTENCY_KEY, KEY_PATTERN } from './act-request.js';
import { TakenActAnswer, PendingActAnswer } from './act.answers.js';
import { fieldsOf, permissionFor } from './commands.js';

/** The types that the fold never refuses, unless their key was used for something else. */
const KEPT: readonly ReviewCommand[] = ['comment', 'video', 'hold', 'held'];

const POSITION = {
  schema: { type: 'string', pattern: POSITIONS_PATTERN },
  description: 'The position to wait for with `Min-Position`',
} as const;

/** Documents what every command on findings takes and may answer. */
export const Commanded = (): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: true,
      description:
        'A name for this command, such as a UUID. The same command sent again under it has no further effect and gets the first answer',
      schema: { type: 'string', pattern: KEY_PATTERN },
    }),
    Refuses('invalid-request', 'too-many-requests', 'not-recorded', 'outcome-unknown', 'not-ready'),
  );

/** Makes the answers of a command on one finding of what it returns, and documents them. */
export const ActAnswered = (): MethodDecorator =>
  applyDecorators(
    UseInterceptors(ActedAnswer),
    ApiExtraModels(TakenActAnswer, PendingActAnswer),
    ApiResponse({
      status: 200,
      description: 'It took effect',
      headers: { [LOG_POSITION]: POSITION },
      content: { 'application/json': { schema: { $ref: getSchemaPath(TakenActAnswer) } } },
    }),
    ApiResponse({
      status: 202,
      description: 'Recorded, but not decided within two seconds',
      headers: {
        [LOG_POSITION]: POSITION,
        Location: {
          schema: { type: 'string' },
          description: 'Where it can be read, with `Min-Position`',
        },
      },
      content: { 'application/json': { schema: { $ref: getSchemaPath(PendingActAnswer) } } },
    }),
  );

/** Declares the route of a command on one finding. */
export const ActRoute = (command: ReviewCommand, summary: string): MethodDecorator => {
  const type = REVIEW_COMMANDS[command];
  const refusals = KEPT.includes(command) ? (['idempotency-key-reused'] as const) : REFUSALS;
  return applyDecorators(
    Post(`:id/${command}`),
    Requires(permissionFor(command)),
    Commanded(),
    ActAnswered(),
    TextParam('id', { description: 'The id of the finding' }),
    Refuses('table-parked', ...refusals),
    ...(command === 'propose' ? [Refuses('policy-superseded')] : []),
    ...(command === 'sign' ? [Refuses('confirm-first')] : []),
    ApiOperation({
      summary,
      requestBody: {
        required: command !== 'release',
        content: { 'application/json': { schema: dataSchema(type, fieldsOf(command)) } },
      },
    }),
  );
};
