import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { instanceOf } from '../problems/refusal-log.js';

const INSTANCE = new AsyncLocalStorage<string>();

/**
 * A Fastify hook that lets every `RequestLogger` know the request. Add it to `onRequest`, and to
 * `preValidation` because the events of a body may run outside of what the first one began.
 */
export const keepInstance = (
  request: FastifyRequest,
  _reply: unknown,
  done: HookHandlerDoneFunction,
): void => INSTANCE.run(instanceOf(request), done);

/**
 * A logger for what one request asked for. Each of its lines has the id of that request as
 * `instance`. Work that outlives the request or serves several uses Nest's `Logger`.
 */
export class RequestLogger {
  private readonly logger: Logger;

  constructor(context: string) {
    this.logger = new Logger(context);
  }

  /** Logs that a command succeeded. */
  log(line: { readonly message: string } & Readonly<Record<string, unknown>>): void {
    this.logger.log({ ...line, instance: INSTANCE.getStore() });
  }
}
