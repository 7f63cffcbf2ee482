import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MadePackage } from '#export';
import { HouseRecord } from '../house/house-record.js';
import { actorOf, type Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { FileSlots } from '../reading/files/file-slots.js';
import { unlessKnown } from '../reading/known-answer.js';
import { Exporting } from './making/exporting.js';

/** The media type of a package. */
export const PACKAGE_TYPE = 'application/zip';

/**
 * Asks for bytes of a package. Fetching by one person within a minute is recorded once, however
 * many parts it takes. Throws `not-found` if the file is gone, and `too-many-at-once`.
 */
export class FetchPackage extends Command<Readable> {
  constructor(
    readonly by: Identity,
    readonly of: { readonly id: string; readonly made: MadePackage },
    readonly part: Part,
  ) {
    super();
  }
}

/** Returns the bytes once it is in the database that they were fetched. */
@CommandHandler(FetchPackage)
export class FetchPackageHandler implements ICommandHandler<FetchPackage> {
  constructor(
    private readonly exporting: Exporting,
    private readonly record: HouseRecord,
    private readonly slots: FileSlots,
  ) {}

  async execute({ by, of: { id, made }, part }: FetchPackage): Promise<Readable> {
    const file = this.exporting.packages.fileOf(id);
    if ((await stat(file).catch(() => undefined))?.size !== made.size)
      throw new Problem(
        'not-found',
        'the file of this package is not in the folder of this server: ask for it again',
      );
    const { free } = this.slots.take(by.id);
    try {
      await this.record.count({
        type: 'export-downloaded',
        by: actorOf(by),
        data: { export: id, sha256: made.sha256 },
      });
      return createReadStream(file, part).once('close', free);
    } catch (error) {
      free();
      throw error;
    }
  }
}

/** A request for a package: whether the reader has it, and which part of it to send. */
export class PackageRequest {
  /** Whether it asks for the headers alone. */
  readonly isHead: boolean;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.isHead = request.method === 'HEAD';
  }

  /**
   * Sets the head of the answer with a package, and returns the part to send; undefined for a
   * reader who has it. Throws `range-not-satisfiable`.
   */
  partOf({ id, sha256, size }: MadePackage): Part | undefined {
    const { request, reply } = this;
    void reply
      .header('Accept-Ranges', 'bytes')
      .header('Content-Disposition', `attachment; filename="${id}.zip"`)
      .header('Cache-Control', 'private, no-cache');
    if (unlessKnown(request, reply, { tag: sha256, body: '', type: PACKAGE_TYPE }) === undefined)
      return undefined;
    const part = partAsked(request, { tag: sha256, size });
    if (part === 'none')
      throw new Problem('range-not-satisfiable', undefined, {
        headers: { 'Content-Range': `bytes */${size}` },
      });
    const { start, end } = part ?? { start: 0, end: size - 1 };
    if (part) void reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
    void reply.header('Content-Length', end - start + 1);
    return { start, end };
  }
}

/** Injects the request for a package into a controller method. */
export const PackageAsked = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new PackageRequest(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/** From which byte to which, both included. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the part of a file that a request asks for (RFC 9110, 14): undefined for the whole, and
 * `none` for a part beyond its end. Several parts, and a part of another file, are the whole.
 */
function partAsked(
  { headers }: FastifyRequest,
  { tag, size }: { readonly tag: string; readonly size: number },
): Part | 'none' | undefined {
  const unless = headers['if-range'];
  if (unless !== undefined && unless !== `"${tag}"`) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? [];
  if (first === '') return last === '' ? undefined : endingOf(size, Number(last));
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size) return 'none';
  return start > end ? undefined : { start, end };
}

/** Returns the last bytes of a file. */
const endingOf = (size: number, bytes: number): Part | 'none' =>
  bytes === 0 ? 'none' : { start: Math.max(0, size - bytes), end: size - 1 };
