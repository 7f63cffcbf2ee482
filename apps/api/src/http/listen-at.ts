import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { listening } from '#server';
import type { ListenSettings } from '../settings/api-settings.js';

/**
 * How many connections may wait until they are accepted. It is more than there are streams: all
 * screens come back at once, perhaps while the process is busy, and one that finds no room is late
 * by seconds. The system has a limit of its own (`net.core.somaxconn`, 4,096 on Linux).
 */
export const WAITING_CONNECTIONS_MAX = 4_096;

/** Lets an api answer at an address. Throws a fault of `SHOEPRINT_PORT` if it cannot be had. */
export async function listenAt(
  app: NestFastifyApplication,
  { host, port }: Pick<ListenSettings, 'host' | 'port'>,
): Promise<void> {
  const backlog = WAITING_CONNECTIONS_MAX;
  await listening(() => app.listen({ host, port, backlog }), 'SHOEPRINT_PORT');
}
