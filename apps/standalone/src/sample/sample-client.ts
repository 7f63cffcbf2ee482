import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';

const AGAIN_MS = 200;
const TRIES_MAX = 100;
/** Answers after which a request is sent again. */
const NO_ROOM = [429, 503, 504];
/** The same, for one whose act is recorded and not decided about: then it is 202. */
const PENDING = [202, ...NO_ROOM];

/** Whose request it is, its body, and further headers. */
interface Asked {
  readonly token: string;
  readonly body?: object;
  readonly [header: `${string}-${string}`]: string;
}

/**
 * A client of the api that does not use the network, so a certificate need not be valid for this
 * machine's own name.
 */
export class SampleClient {
  constructor(
    private readonly app: NestFastifyApplication,
    private readonly basePath: string,
  ) {}

  /**
   * Sends a request, and again while the server has no room for it or does not know yet what became
   * of it. Returns the body of its answer. Throws at any other answer.
   */
  async ask<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { token, body, ...headers }: Asked,
  ): Promise<Answer> {
    const answer = await this.sent(PENDING, {
      method,
      url: path,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body && { payload: body }),
    });
    return (answer.body === '' ? undefined : answer.json()) as Answer;
  }

  /**
   * Sends events, and again while the log accepts none, so that no event of the day is lost.
   * Returns the positions at which the rows have them.
   */
  async record(token: string, body: Buffer): Promise<string> {
    const { headers } = await this.sent(NO_ROOM, {
      method: 'POST',
      url: '/v1/events',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      payload: body,
    });
    return headers['log-position'] as string;
  }

  private async sent(
    again: readonly number[],
    request: InjectOptions & { readonly url: string },
  ): Promise<LightMyRequestResponse> {
    const { method, url: path } = request;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.app.inject({ ...request, url: `${this.basePath}${path}` });
      const { statusCode, body } = answer;
      const isRefused = again.includes(statusCode);
      if (!isRefused && statusCode < 300) return answer;
      if (!isRefused || tries === TRIES_MAX)
        throw new Error(
          `the sample play could not be dealt: ${method} ${path} answered ${statusCode} ${body}`,
        );
      await pause(AGAIN_MS);
    }
  }
}
