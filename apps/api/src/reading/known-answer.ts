import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sets the `ETag` of an answer in JSON and returns its body, or undefined with status 304 if
 * `If-None-Match` names the tag.
 */
export function unlessKnown(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly tag: string; readonly body: string },
): string | undefined {
  const tag = `"${answer.tag}"`;
  void reply.header('ETag', tag);
  const known = (headers['if-none-match'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) {
    void reply.code(304);
    return undefined;
  }
  void reply.header('Content-Type', 'application/json; charset=utf-8');
  return answer.body;
}
