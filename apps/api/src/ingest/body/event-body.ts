import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCode } from '#process';
import { Problem } from '../../problems/problems.js';
import type { RouteNeeds } from '../../identity/requires.js';
import { BodyRoom } from './body-room.js';
import { FORMS, formOf, type EventForm } from './event-form.js';

const inflate = promisify(gunzip) as unknown as (
  packed: Buffer,
  options: { maxOutputLength: number; info: true },
) => Promise<{ buffer: Buffer; engine: { bytesWritten: number } }>;

const takesEvents = (config: unknown): boolean =>
  (config as RouteNeeds | undefined)?.needs === 'record-events';

/**
 * Adds the parsers for bodies of events. They pass the bytes to their route, unpacked, and refuse
 * them on any other route. A body of another media type, or one that finds the room used up, is
 * refused before it is read. Call it before routes are registered.
 */
export function takeEventBodies(server: FastifyInstance, room = new BodyRoom()): void {
  for (const { mediaType, bytesMax } of Object.values(FORMS)) {
    server.addContentTypeParser(
      mediaType,
      { parseAs: 'buffer', bodyLimit: bytesMax },
      (request: FastifyRequest, body: Buffer, done) => {
        if (!takesEvents(request.routeOptions.config))
          done(
            request.is404
              ? null
              : new Problem('media-type-not-taken', 'Only /v1/events accepts events.'),
          );
        else if (request.headers['content-encoding'] === undefined) done(null, body);
        else
          unpacked(body, request.headers['content-encoding'], bytesMax).then(
            (bytes) => done(null, bytes),
            done,
          );
      },
    );
  }
  server.addHook('onRoute', (route) => {
    if (!takesEvents(route.config)) return;
    const earlier = route.onRequest === undefined ? [] : [route.onRequest].flat();
    route.onRequest = [...earlier, (request, reply, done) => done(refusalOf(request, reply, room))];
  });
}

/** Returns the form of the events of a request that reached its route. */
export function formSent(request: FastifyRequest): EventForm {
  const form = formOf(request.headers['content-type']);
  if (form === undefined || !Buffer.isBuffer(request.body))
    throw new Error('the route of events received a body without events');
  return form;
}

function refusalOf(
  request: FastifyRequest,
  reply: FastifyReply,
  room: BodyRoom,
): Problem | undefined {
  const form = formOf(request.headers['content-type']);
  if (form !== undefined) return room.keep(request, reply, form);
  return new Problem(
    'media-type-not-taken',
    `Events are sent as ${Object.values(FORMS)
      .map(({ mediaType }) => mediaType)
      .join(', ')}, in UTF-8.`,
  );
}

/**
 * Returns the bytes of a compressed body. Throws a problem for a compression other than gzip, for
 * broken bytes, and for more than `bytesMax` bytes.
 */
async function unpacked(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer> {
  const packing = encoding.trim().toLowerCase();
  if (packing === 'identity') return body;
  if (packing !== 'gzip' && packing !== 'x-gzip')
    throw new Problem(
      'media-type-not-taken',
      'The only supported content encoding is gzip, applied once.',
      { headers: { 'Accept-Encoding': 'gzip' } },
    );
  try {
    const { buffer, engine } = await inflate(body, { maxOutputLength: bytesMax, info: true });
    if (engine.bytesWritten === body.length) return buffer;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('too-large', `The body decompresses to more than ${bytesMax} bytes.`, {
        cause,
      });
    throw new Problem('malformed-request', 'The body is not valid gzip.', { cause });
  }
  throw new Problem('malformed-request', 'Data follows the end of the gzip stream.');
}
