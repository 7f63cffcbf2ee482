import { Readable } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { concatMap, type Observable } from 'rxjs';
import { actorOf } from '../identity/identity.js';
import { identityOf } from '../identity/requires.js';
import { formatAsked, type Format } from '../reading/files/formats.js';
import { offeredBy } from '../reading/files/offers.js';
import { beginning, HouseRecord } from './house-record.js';

/** Parameters that say how an answer looks, and not what it is about. */
const OF_FORM = new Set(['format', 'bom', 'cursor', 'limit']);

/** Records who read a report, or a list as a file. The answer is sent once that is recorded. */
@Injectable()
export class RecordedReading implements NestInterceptor {
  constructor(private readonly record: HouseRecord) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      concatMap(async (answer: unknown) => {
        try {
          if (reply.statusCode === 200) await this.note(request, offeredBy(context));
          return answer;
        } catch (error) {
          // A file holds a connection until it is sent or destroyed.
          if (answer instanceof Readable) answer.destroy();
          throw error;
        }
      }),
    );
  }

  private async note(request: FastifyRequest, offered: readonly Format[]): Promise<void> {
    const record = request.routeOptions.url ?? '';
    const query = request.query as Readonly<Record<string, unknown>>;
    const format = formatAsked(request, offered, query.format);
    if (format === 'json' && !record.includes('/reports/')) return;
    const filter = Object.fromEntries(
      Object.entries({ ...(request.params as object), ...query })
        .filter(([name]) => !OF_FORM.has(name))
        .map(([name, value]) => [name, beginning(String(value))]),
    );
    await this.record.count({
      type: 'record-read',
      by: actorOf(identityOf(request)),
      data: { record, filter, format },
    });
  }
}
