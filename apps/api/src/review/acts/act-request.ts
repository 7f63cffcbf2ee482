import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isRecord } from '#baccarat';
import type { Identity } from '../../identity/identity.js';
import { identityOf } from '../../identity/requires.js';
import { Problem } from '../../problems/problems.js';

/** The header that names a command. The same command again under it has no second effect. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/**
 * The form of its value: visible ASCII characters, as many as leave the reference of an act short
 * enough for its row.
 */
export const KEY_PATTERN = '^[\\x21-\\x7e]{1,200}$';
const KEY = new RegExp(KEY_PATTERN);

/** A command as it was sent: by whom, about which finding, under which key, with which body. */
export interface ActSent {
  readonly by: Identity;
  readonly finding: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the value of `Idempotency-Key`. Throws `invalid-request` without a well-formed one. */
function keyOfRequest({ headers }: FastifyRequest): string {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && KEY.test(key)) return key;
  const reason =
    key === undefined
      ? `the header ${IDEMPOTENCY_KEY} is required`
      : `the header ${IDEMPOTENCY_KEY} must be 1 to 200 visible ASCII characters, once`;
  throw new Problem('invalid-request', reason, { errors: [{ pointer: '', reason }] });
}

/** Injects a command on one finding. A request without a body has an empty one. */
export const SentAct = createParamDecorator((_: unknown, context: ExecutionContext): ActSent => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const body: unknown = request.body ?? {};
  const key = keyOfRequest(request);
  if (!isRecord(body))
    throw new Problem('invalid-request', 'the request needs a JSON object as its body', {
      errors: [{ pointer: '', reason: 'must be a JSON object' }],
    });
  return { by: identityOf(request), finding: (request.params as { id: string }).id, key, body };
});

/** Injects the value of `Idempotency-Key`. */
export const Key = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  keyOfRequest(context.switchToHttp().getRequest<FastifyRequest>()),
);
