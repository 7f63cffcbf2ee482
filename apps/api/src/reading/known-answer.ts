import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sets the `ETag` and the type of an answer, JSON by default, and returns its body, or undefined
 * with status 304 if `If-None-Match` names the tag.
 */
export function unlessKnown<Body extends string | Uint8Array>(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly tag: string; readonly body: Body; readonly type?: string },
): Body | undefined {
  const tag = `"${answer.tag}"`;
  void reply.header('ETag', tag);
  const known = (headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) {
    void reply.code(304);
    return undefined;
  }
  void reply.header('Content-Type', answer.type ?? 'application/json; charset=utf-8');
  return answer.body;
}
