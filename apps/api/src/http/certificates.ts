import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { Logger } from '@nestjs/common';
import { asError } from '#process';
import type { Tls } from '../settings/api-settings.js';

/** How often the files are checked. A look at them works for links and mounted secrets too. */
const LOOK_MS = 5_000;

/**
 * Reads the certificate and its key again when their files change, until the server closes. New
 * connections get the new certificate. If it cannot be used, the former one stays.
 */
export function followCertificate(server: Server, { files, ...first }: Tls): void {
  const logger = new Logger('tls');
  let last = first;
  const read = (): void => {
    try {
      const [cert, key] = files.map((file) => readFileSync(file)) as [Buffer, Buffer];
      if (cert.equals(last.cert) && key.equals(last.key)) return;
      last = { cert, key };
      createSecureContext(last);
      server.setSecureContext(last);
      logger.log({ message: 'certificate reloaded' });
    } catch (error) {
      logger.error({
        message: 'could not load the changed certificate; the former one stays in use',
        error: asError(error).message,
      });
    }
  };
  for (const file of files) watchFile(file, { interval: LOOK_MS, persistent: false }, read);
  server.once('close', () => {
    for (const file of files) unwatchFile(file, read);
  });
}
