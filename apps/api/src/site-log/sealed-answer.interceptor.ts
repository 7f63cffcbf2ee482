import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInterceptor } from '../http/answer.interceptor.js';
import { unlessKnown } from '../reading/known-answer.js';
import type { SealedFile } from './site-log.js';

const YEAR_S = 31_536_000;

/**
 * Sends a file of the site log, or 304 if the reader has it. What never changes may be kept for a
 * year, by caches on the way only if nobody had to sign in for it.
 */
@Injectable()
export class SealedAnswer extends AnswerInterceptor<SealedFile, SealedFile['body'] | undefined> {
  protected answer({ type, body, stays }: SealedFile, reply: FastifyReply) {
    const { request } = reply;
    const kept = `${request.identity ? 'private' : 'public'}, max-age=${YEAR_S}, immutable`;
    void reply.header('Cache-Control', stays ? kept : 'no-cache');
    const tag = createHash('sha256').update(body).digest('base64url');
    return unlessKnown(request, reply, { tag, body, type });
  }
}
