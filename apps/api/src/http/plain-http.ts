import type { LoggerService } from '@nestjs/common';
import { isLoopback } from '#server';
import type { ListenSettings } from '../settings/api-settings.js';

/** Warns if the api speaks plain HTTP on an address that other machines can reach. */
export function warnOfPlainHttp({ tls, host }: ListenSettings, logger: LoggerService): void {
  if (!tls && !isLoopback(host))
    logger.warn({ message: 'plain HTTP beyond this machine: use TLS, or a proxy that does', host });
}
