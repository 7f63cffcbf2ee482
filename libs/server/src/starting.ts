import { openLog, type EventLog, type LogSettings } from '#event-log';
import { onceReachable } from '#read-model';
import type { ServerLogger } from './server-logger.js';

/**
 * Runs a part of a server's start as `onceReachable` does: for two minutes, or `forMs`. Logs why it
 * tries again.
 */
export const whileStarting = <T>(
  logger: ServerLogger,
  work: () => Promise<T>,
  forMs?: number,
): Promise<T> =>
  onceReachable(work, {
    onRetry: ({ message: error }) =>
      void logger.error({ message: 'retrying start: PostgreSQL cannot be reached', error }),
    ...(forMs !== undefined && { forMs }),
  });

/**
 * Opens the log of a server. Logs what an operator should know of what its client handled itself,
 * and tries again while a log in PostgreSQL cannot be reached.
 */
export function openServerLog(logger: ServerLogger, settings: LogSettings): Promise<EventLog> {
  const open = (): Promise<EventLog> =>
    openLog(settings, (notice) => void logger.warn({ message: 'event log warning', notice }));
  return settings.kind === 'postgres' ? whileStarting(logger, open) : open();
}
