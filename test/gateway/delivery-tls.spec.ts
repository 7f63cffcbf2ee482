import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import { SpooledTable, upTo } from './spooled-table.js';
import { answer, StandInApi } from './stand-in-api.js';

const file = (name: string): Buffer => readFileSync(`test/fixtures/tls/${name}.pem`);
const CERTIFICATE = { cert: file('cert'), key: file('key') };

let table: SpooledTable;
beforeEach(async () => {
  table = await SpooledTable.open();
});
afterEach(() => table.close());

/** Starts a TLS server that counts connections and keeps what it can decrypt of them. */
async function listener() {
  const heard: Buffer[] = [];
  const seen = { connections: 0, heard };
  const server: Server = createServer(CERTIFICATE, (socket) => {
    socket.on('data', (bytes: Buffer) => heard.push(bytes)).on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.on('connection', () => (seen.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, port, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('delivery over TLS', () => {
  it('verifies the certificate with the certificates of the configuration', async () => {
    const api = await StandInApi.start(CERTIFICATE);
    try {
      await table.append(3);
      table.deliverTo(api.url(), { ca: file('cert').toString() });
      await table.delivered();
      await table.append(2);
      await table.delivered();
      expect(api.recorded).toEqual(upTo(5));
    } finally {
      await table.stop();
      await api.close();
    }
  });

  it.each([
    ['of an unknown issuer', '127.0.0.1', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another issuer', '127.0.0.1', 'renewed-cert', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another address', '127.0.0.2', 'cert', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])(
    'is blocked by a certificate %s, and sends nothing, not even the key',
    async (_, host, ca, code) => {
      const { seen, port, close } = await listener();
      await table.append(3);
      table.deliverTo(`https://${host}:${port}`, {
        ...(ca !== undefined && { ca: file(ca).toString() }),
        times: { lookMs: 1 },
      });
      expect((await table.state('blocked')).why).toBe(
        `its certificate cannot be trusted (${code})`,
      );
      await eventually('three more connections', () => seen.connections > 3);
      await table.stop();
      await close();
      expect(Buffer.concat(seen.heard).toString()).toBe('');
      expect(table.spool.figures.sent).toBe(0);
    },
  );

  it('waits if the server does not speak TLS', async () => {
    const api = await StandInApi.start();
    try {
      await table.append(1);
      table.deliverTo(api.url().replace('http:', 'https:'));
      expect((await table.state('waiting')).why).toMatch(/^cannot be reached \(\w+\)$/);
      expect(api.arrived).toEqual([]);
    } finally {
      await table.stop();
      await api.close();
    }
  });

  it('follows no redirect to plain HTTP', async () => {
    const [api, other] = [await StandInApi.start(CERTIFICATE), await StandInApi.start()];
    try {
      await table.append(1);
      api.usual = (_, response) => answer(response, 308, {}, { location: other.url() });
      table.deliverTo(api.url(), { ca: file('cert').toString() });
      await table.state('blocked');
      await eventually('another try', () => api.arrived.length > 2);
      expect(other.arrived).toEqual([]);
    } finally {
      await table.stop();
      await api.close();
      await other.close();
    }
  });
});
