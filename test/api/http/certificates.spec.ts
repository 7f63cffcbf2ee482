import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';

const TLS = 'test/fixtures/tls';
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-certificates-'));
const files = [join(folder, 'tls.crt'), join(folder, 'tls.key')] as const;
/** Longer than the time between two looks at the files. */
const LOOK_MS_MAX = 20_000;

const logged: { readonly level: string; readonly message: string }[] = [];
const log =
  (level: string) =>
  (line: unknown): void =>
    void logged.push({ level, ...(line as { message: string }) });
const logger = { log: log('log'), error: log('error'), warn: log('warn') };

let api: TestApi;
beforeAll(async () => {
  write('');
  const [cert, key] = files.map((file) => readFileSync(file)) as [Buffer, Buffer];
  api = await startApi({ settings: { tls: { cert, key, files }, hstsSeconds: 0 }, logger });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Puts a certificate and its key in place. */
function write(which: '' | 'renewed-'): void {
  copyFileSync(`${TLS}/${which}cert.pem`, files[0]);
  copyFileSync(`${TLS}/${which}key.pem`, files[1]);
}

/** Returns the name in the certificate that a new connection gets. */
async function certified(): Promise<string> {
  const port = Number(new URL(await api.url()).port);
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { port, host: '127.0.0.1', rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.end();
      },
    ).on('error', reject);
  });
}

describe('the certificate of a running api', () => {
  it('is read again when its files change', async () => {
    expect(await certified()).toBe('shoeprint test');
    write('renewed-');
    await eventually(
      'the renewed certificate',
      async () => (await certified()) === 'shoeprint test, renewed',
      LOOK_MS_MAX,
    );
    expect(logged).toContainEqual({ level: 'log', message: 'certificate reloaded' });
  }, 30_000);

  it.each([
    ['is not a certificate', () => writeFileSync(files[0], 'not a certificate')],
    ['belongs to another key', () => copyFileSync(`${TLS}/cert.pem`, files[0])],
    ['is gone', () => rmSync(files[0])],
  ])(
    'stays as it was, and an error is logged, if the new one %s',
    async (_, damage) => {
      logged.length = 0;
      damage();
      await eventually(
        'the error',
        () => logged.some(({ level, message }) => level === 'error' && /former one/.test(message)),
        LOOK_MS_MAX,
      );
      expect(await certified()).toBe('shoeprint test, renewed');
    },
    30_000,
  );

  it('is not announced to browsers if the settings say so', async () => {
    const { headers } = await api.send('GET', '/livez');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });
});
