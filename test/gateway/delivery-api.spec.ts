import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalLine, simulateTables } from '#audit';
import { MemoryLog } from '#event-log';
import { checkDelivery } from '../../apps/gateway/src/delivery/check-delivery.js';
import { BOOK } from '../kit/house.js';
import { eventually } from '../kit/eventually.js';
import { startServer, type TestServer } from '../kit/server.js';
import { TableLog } from '../kit/table.js';
import { SpooledTable } from './spooled-table.js';
import { answer, StandInApi } from './stand-in-api.js';

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await startServer(async () => new MemoryLog());
  admin = await server.api.person('admin', { name: 'ada' });
});
afterAll(() => server?.close());

/** Returns a new key of the gateway at a table, and its id. */
async function newKey(table: string): Promise<{ readonly token: string; readonly id: string }> {
  const created = await server.api.send('POST', '/v1/keys', admin, {
    name: `${table}-gateway`,
    sources: [`device/${table}-*`],
    tables: [table],
    types: ['*'],
  });
  expect(created.statusCode).toBe(201);
  return created.json();
}

const revoke = async (id: string): Promise<void> => {
  const revoked = await server.api.send('DELETE', `/v1/keys/${id}`, admin);
  expect(revoked.statusCode).toBe(204);
};

/** Returns the contents of a table, as the server has recorded them. */
async function recorded(table: string): Promise<string[]> {
  const regulator = await server.api.person('regulator');
  const path = `/v1/tables/${table}/record?stamps=off`;
  await server.caughtUp();
  const { body } = await server.api.send('GET', path, regulator);
  return body.trimEnd().split('\n');
}

/** Appends contents to a spool, some frames in each line. */
async function spool(table: SpooledTable, contents: readonly string[]): Promise<void> {
  for (let i = 0; i < contents.length; i += 7)
    await table.spool.append(
      contents.slice(i, i + 7).map((content, k) => ({
        ...{ at: Date.now(), up: i + k, port: 'shoe', raw: '00', integrity: 'ok' as const },
        made: [content],
      })),
    );
}

/** Returns canonical contents of a simulated table. */
function contentsOf(table: string, most: number): string[] {
  const contents: string[] = [];
  const asked = { rules: BOOK.get('punto-banco@1') as never, tables: [table], shoes: 50 };
  for (const line of simulateTables({ ...asked, seed: table }).lines) {
    contents.push(canonicalLine(line));
    if (contents.length === most) break;
  }
  return contents;
}

describe('delivery to the api', () => {
  it('delivers 2,000 events, which the server has in this order and with these bytes', async () => {
    const { token } = await newKey('B01');
    const table = await SpooledTable.open();
    try {
      const contents = contentsOf('B01', 2_000);
      expect(contents.length).toBe(2_000);
      await spool(table, contents);
      table.deliverTo(server.url, { api: { url: server.url, key: token } });
      await table.delivered();
      expect(table.states).toEqual([]);
      expect(await recorded('B01')).toEqual(contents);
    } finally {
      await table.close();
    }
  });

  it('is blocked by a malformed event with the place that the api names, and then by a revoked key', async () => {
    const { token, id } = await newKey('B02');
    const table = await SpooledTable.open();
    try {
      const contents = contentsOf('B02', 20);
      const wrong = contents.with(9, (contents[9] as string).replace('"data":{', '"data":{"x":1,'));
      await spool(table, wrong);
      table.deliverTo(server.url, { api: { url: server.url, key: token } });
      expect(await table.state('blocked')).toMatchObject({
        why: expect.stringMatching(
          /^1 of 20 events is malformed; nothing was recorded \(400\): \/data\/x: /,
        ),
        event: { n: 2, event: 3 },
      });
      table.skipped.push({ n: 2, event: 3 });
      table.delivery.retry();
      await table.delivered();
      expect(await recorded('B02')).toEqual(contents.filter((_, i) => i !== 9));
      await revoke(id);
      await spool(table, contentsOf('B02', 21).slice(20));
      expect((await table.state('blocked')).why).toMatch(/^the key is unknown or revoked \(401/);
    } finally {
      await table.close();
    }
  });

  it('is noticed by the api as a use of the key while it has nothing to send', async () => {
    const { token } = await newKey('B03');
    const table = await SpooledTable.open();
    const lastUse = async (): Promise<string | null | undefined> => {
      const keys = await server.api.send('GET', '/v1/keys', admin);
      const { items } = keys.json<{ items: { name: string; lastUsedAt: string | null }[] }>();
      return items.find(({ name }) => name === 'B03-gateway')?.lastUsedAt;
    };
    try {
      expect(await lastUse()).toBeNull();
      table.deliverTo(server.url, { api: { url: server.url, key: token }, times: { lookMs: 5 } });
      await eventually('a use of the key', lastUse);
      expect(table.delivery.figures.failedLooks).toBe(0);
    } finally {
      await table.close();
    }
  });
});

describe('the check of delivery', () => {
  let key = '';
  beforeAll(async () => {
    key = (await newKey('C01')).token;
  });

  /** Returns lines that open a shoe at a table under a rule document. */
  function opening(table = 'C01', rules = 'punto-banco@1', source?: string): string[] {
    const log = new TableLog(table);
    log.open({ rules });
    return log.events.map((event) => JSON.stringify({ ...event, ...(source && { source }) }));
  }
  const check = (lines: readonly string[], token = key, url = server.url) =>
    checkDelivery({ url, key: token }, lines);

  it('finds nothing wrong with a sound configuration, and records nothing', async () => {
    expect(await check(opening())).toEqual([]);
    const regulator = await server.api.person('regulator');
    const { statusCode } = await server.api.send('GET', '/v1/tables/C01/record', regulator);
    expect(statusCode).toBe(404); // a table that sent nothing is unknown
  });

  it.each([
    [
      'a rule document that is not installed',
      opening('C01', 'baccarat-royale@7'),
      '/opens/rules',
      /"baccarat-royale@7" is not an installed rule document/,
    ],
    [
      'a table that the key may not write',
      opening('C02', 'punto-banco@1', 'device/C01-x'),
      '/table',
      /"C02" is not a table/,
    ],
    [
      'a source that the key may not write',
      opening('C01', 'punto-banco@1', 'device/D01-shoe'),
      '/devices',
      /"device\/D01-shoe" is not a source/,
    ],
  ])('names %s by its place in the configuration', async (_, lines, pointer, problem) => {
    expect(await check(lines)).toEqual([{ pointer, problem: expect.stringMatching(problem) }]);
  });

  it('says once what is wrong with many events', async () => {
    const sources = ['device/D01-shoe', 'device/C01-x', 'device/D01-shoe', 'device/C01-x'];
    const lines = sources.flatMap((source) => opening('C02', 'punto-banco@1', source));
    expect((await check(lines)).map(({ pointer }) => pointer)).toEqual(['/devices', '/table']);
  });

  it('names the field of an event that no configuration says', async () => {
    expect(await check(['{}'])).toContainEqual({
      pointer: '',
      problem: expect.stringMatching(/^event 1 of the check: \/specversion: /),
    });
  });

  it('says that a key is unknown or revoked', async () => {
    const { token, id } = await newKey('C04');
    expect(await check(opening('C04'), token)).toEqual([]);
    await revoke(id);
    const said = await eventually('the refusal', async () => {
      const problems = await check(opening('C04'), token);
      return problems.length > 0 ? problems : undefined;
    });
    const problem = expect.stringMatching(/^the key is unknown or revoked \(401/);
    expect(said).toEqual([{ pointer: '/api/keyFile', problem }]);
  });

  it('says that an address answers and is not the api, or is another path', async () => {
    const portal = await StandInApi.start();
    const url = portal.url();
    try {
      portal.early = (_, response) => (response.writeHead(200).end('<html>'), true);
      expect(await check(opening(), key, url)).toEqual([
        { pointer: '/api/url', problem: 'answered 200, which is not this api' },
      ]);
      portal.early = (_, response) => (answer(response, 202, {}), true);
      expect(await check(opening(), key, url)).toEqual([
        { pointer: '/api/url', problem: 'answered 202 to a check, which is not this api' },
      ]);
      expect(await check(opening(), key, `${server.url}/audit`)).toEqual([
        { pointer: '/api/url', problem: expect.stringMatching(/\(404\)$/) },
      ]);
    } finally {
      await portal.close();
    }
    expect(await check(opening(), key, url)).toEqual([
      { pointer: '/api/url', problem: 'cannot be reached (ECONNREFUSED)' },
    ]);
  });

  it('says that a certificate cannot be trusted', async () => {
    const [cert, secret] = ['cert', 'key'].map((name) =>
      readFileSync(`test/fixtures/tls/${name}.pem`),
    ) as [Buffer, Buffer];
    const secure = await StandInApi.start({ cert, key: secret });
    try {
      expect(await check(opening(), key, secure.url())).toEqual([
        {
          pointer: '/api/ca',
          problem: 'its certificate cannot be trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
        },
      ]);
    } finally {
      await secure.close();
    }
  });

  it('does not repeat the key, even if the server does', async () => {
    const echo = await StandInApi.start();
    try {
      echo.early = ({ headers }, response) => {
        answer(response, 403, { detail: `No: ${headers.authorization}` });
        return true;
      };
      expect(await check(opening(), key, echo.url())).toEqual([
        { pointer: '/api/keyFile', problem: 'No: Bearer … (403)' },
      ]);
    } finally {
      await echo.close();
    }
  });
});
