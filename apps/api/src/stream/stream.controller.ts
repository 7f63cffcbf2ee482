import { Controller, Get, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BadPositions, positionsFrom, type Positions } from '#read-model';
import { FollowedSessions } from '../identity/sessions/followed-sessions.js';
import { CoupAnswer } from '../lists/coup.answer.js';
import { FindingAnswer } from '../lists/finding.answer.js';
import { ShoeAnswer } from '../lists/shoe.answer.js';
import { TableAnswer } from '../lists/table.answer.js';
import { Problem } from '../problems/problems.js';
import { Refuses } from '../problems/refuses.js';
import { POSITIONS_PATTERN } from '../reading/positions.js';
import { identityOf, Requires } from '../identity/requires.js';
import { Following, STREAM_HEADERS } from './following.js';
import { PositionsWatch } from './positions-watch.js';

/** The schema of one event. OpenAPI 3.1 has no way to describe a stream. This is the way of 3.2. */
const EVENT = {
  type: 'object',
  properties: {
    event: { type: 'string', enum: ['finding', 'coup', 'shoe', 'table'] },
    id: { type: 'string', pattern: `${POSITIONS_PATTERN}|^$` },
    data: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: {
        oneOf: [FindingAnswer, CoupAnswer, ShoeAnswer, TableAnswer].map((answer) => ({
          $ref: getSchemaPath(answer),
        })),
      },
    },
  },
} as object;

/** The stream of contract section 7: server-sent events, resumable. */
@ApiTags('stream')
@Controller('v1/stream')
export class StreamController implements OnModuleDestroy {
  private readonly open = new Set<Following>();
  private isEnding = false;

  constructor(
    private readonly queries: QueryBus,
    private readonly watch: PositionsWatch,
    private readonly sessions: FollowedSessions,
  ) {}

  @Get()
  @Requires('follow-stream')
  @ApiOperation({
    summary: 'Follow changes of findings, finished coups, shoes and tables',
    description:
      'Events `finding`, `coup`, `shoe` and `table`, each with the current state of its subject. The id of an event is a list of positions. A reader that reconnects with `Last-Event-ID` resumes there and may receive a change twice. Without it the stream begins now.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    schema: { type: 'string', pattern: `${POSITIONS_PATTERN}|^$` },
  })
  @ApiExtraModels(FindingAnswer, CoupAnswer, ShoeAnswer, TableAnswer)
  @ApiResponse({
    status: 200,
    description: 'An endless stream of events. The schema is that of one event',
    content: { 'text/event-stream': { schema: EVENT } },
  })
  @Refuses('invalid-request')
  async followStream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const identity = identityOf(request);
    if (request.method === 'HEAD') return void reply.headers(STREAM_HEADERS).send();
    const since = sinceOf(request) ?? (await this.watch.now());
    if (this.isEnding)
      throw new Problem('not-ready', 'the server is stopping', { headers: { 'Retry-After': '1' } });
    const session = this.sessions.follow(identity);
    reply.hijack();
    const following = new Following(reply.raw, {
      queries: this.queries,
      watch: this.watch,
      since,
      identity,
      mayStay: async () => !session.signal.aborted,
    });
    session.signal.addEventListener('abort', () => following.end());
    this.open.add(following);
    await following.done;
    this.open.delete(following);
    session.stop();
  }

  /** Ends all streams. They have no end of their own, and the server would wait for them. */
  onModuleDestroy(): void {
    this.isEnding = true;
    for (const following of this.open) following.end();
  }
}

function sinceOf(request: FastifyRequest): Positions | undefined {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return undefined;
  try {
    return positionsFrom([header].flat().join(','));
  } catch (error) {
    if (!(error instanceof BadPositions)) throw error;
    throw new Problem('invalid-request', `unknown Last-Event-ID for this stream: ${error.message}`);
  }
}
