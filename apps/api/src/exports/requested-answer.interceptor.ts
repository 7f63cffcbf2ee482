import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInterceptor } from '../http/answer.interceptor.js';
import type { ExportJob } from './making/export-jobs.js';
import { type ExportAnswer, exportShown } from './exports.answers.js';

/** Answers with the export that was asked for, and where it is. */
@Injectable()
export class RequestedAnswer extends AnswerInterceptor<ExportJob, ExportAnswer> {
  protected answer(job: ExportJob, reply: FastifyReply): ExportAnswer {
    void reply.header('Location', `${reply.request.routeOptions.url}/${job.id}`);
    return exportShown(job);
  }
}
