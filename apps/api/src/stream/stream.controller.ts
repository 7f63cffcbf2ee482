import { Controller, Get, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { BadPositions, positionsFrom, type Positions } from '#read-model';
import { FollowedSessions } from '../identity/sessions/followed-sessions.js';
import { CoupAnswer } from '../lists/coup.answer.js';
import { FindingAnswer } from '../lists/finding.answer.js';
import { ShoeAnswer } from '../lists/shoe.answer.js';
import { Problem } from '../problems/problems.js';
import { Refuses } from '../problems/refuses.js';
import { POSITIONS_PATTERN } from '../reading/positions.js';
import type { Identity } from '../identity/identity.js';
import { identityOf, Requires } from '../identity/requires.js';
import { Metrics } from '../operation/metrics.js';
import { headersOfEvery, type HeadersOfEvery } from '../http/strict-requests.js';
import { AnswerSlots } from '../reading/files/answer-slots.js';
import { ApiSettings } from '../settings/api-settings.js';
import { Following, STREAM_HEADERS } from './following.js';
import { ChangeFeed } from './change-feed.js';
import { TableChangeAnswer } from './table-change.answer.js';
import { viewerOf } from './views.js';

/**
 * The most streams at once: of this process, far more than a house has screens, and of one
 * identity, so that one cannot take the slots of all.
 */
const STREAMS_MAX = { inAll: 2_000, each: 1_000 };

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
        oneOf: [FindingAnswer, CoupAnswer, ShoeAnswer, TableChangeAnswer].map((answer) => ({
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
  private readonly slots: AnswerSlots;
  private readonly dropped: Counter;
  private readonly headersOf: HeadersOfEvery;
  private isEnding = false;

  constructor(
    private readonly changes: ChangeFeed,
    private readonly sessions: FollowedSessions,
    settings: ApiSettings,
    metrics: Metrics,
  ) {
    this.headersOf = headersOfEvery(settings);
    this.slots = new AnswerSlots('streams', STREAMS_MAX, metrics);
    this.dropped = new Counter({
      name: 'shoeprint_stream_dropped_total',
      help: 'Streams that were closed because their reader did not take what it was sent.',
      registers: [metrics.registry],
    });
  }

  @Get()
  @Requires('follow-stream')
  @ApiOperation({
    summary: 'Follow changes of findings, finished coups, shoes and tables',
    description:
      'Events `finding`, `coup` and `shoe`, each with the current state of its subject, and `table`, after something was recorded at it. The id of an event is a list of positions. A reader that reconnects with `Last-Event-ID` resumes there and may receive a change twice. Without it the stream begins now.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    schema: { type: 'string', pattern: `${POSITIONS_PATTERN}|^$` },
  })
  @ApiExtraModels(FindingAnswer, CoupAnswer, ShoeAnswer, TableChangeAnswer)
  @ApiResponse({
    status: 200,
    description: 'An endless stream of events. The schema is that of one event',
    content: { 'text/event-stream': { schema: EVENT } },
  })
  @Refuses('invalid-request', 'too-many-at-once')
  async followStream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const identity = identityOf(request);
    if (request.method === 'HEAD') return void reply.headers(STREAM_HEADERS).send();
    const since = sinceOf(request);
    const slot = this.slots.take(identity.id);
    try {
      const now = await this.changes.now();
      if (this.isEnding)
        throw new Problem('not-ready', 'the server is stopping', {
          headers: { 'Retry-After': '1' },
        });
      await this.follow(identity, reply, { since: since ?? now, now });
    } finally {
      slot.free();
    }
  }

  /** Follows until either side ends the stream, or the session of its reader ends. */
  private async follow(
    identity: Identity,
    reply: FastifyReply,
    from: { readonly since: Positions; readonly now: Positions },
  ): Promise<void> {
    const session = this.sessions.follow(identity);
    reply.hijack();
    const following = new Following(reply.raw, {
      ...from,
      headers: this.headersOf(reply.request.id),
      changes: this.changes,
      viewer: viewerOf(identity),
      dropped: () => this.dropped.inc(),
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
