import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { migrateAccess } from '#api';
import { hashPassword } from '../../../apps/api/src/identity/credentials/passwords.js';
import { Account } from '../../../apps/api/src/identity/database/access.entities.js';
import { KnownAddresses } from '../../../apps/api/src/identity/sessions/known-addresses.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { createDatabase, type TestDatabase } from '../../kit/database.js';
import { eventually } from '../../kit/eventually.js';

const PASSWORD = 'correct horse battery';
/** As many wrong attempts as the server must bear in a minute. They come at once here. */
const FLOOD = 1_000;
const AT_ONCE = 40;
const FLOOD_MS_MAX = 120_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await migrateAccess(database.url);
});
afterAll(() => database.drop());

async function newAccounts(api: TestApi, ...names: readonly string[]): Promise<void> {
  const passwordHash = await hashPassword(PASSWORD);
  for (const name of names)
    await api.app
      .get(DataSource)
      .getRepository(Account)
      .insert({
        name,
        person: name,
        passwordHash,
        roles: ['pit-boss'],
        tables: ['*'],
        createdBy: 'system/test',
      });
}

/** Signs in over a connection of its own, from the address that a proxy would report. */
async function signIn(
  api: TestApi,
  name: string,
  password = PASSWORD,
  forwarded?: string,
): Promise<number> {
  const answer = await fetch(`${await api.url()}/v1/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    },
    body: JSON.stringify({ name, password }),
  });
  await answer.text();
  return answer.status;
}

/** Sends a flood of wrong attempts and counts the answers by status. `more` runs meanwhile. */
async function flooded<T>(
  attempt: (i: number) => Promise<number>,
  more: () => Promise<T>,
): Promise<{ readonly statuses: ReadonlyMap<number, number>; readonly result: T }> {
  const statuses = new Map<number, number>();
  let sent = 0;
  const sender = async (): Promise<void> => {
    while (sent < FLOOD) {
      const status = await attempt((sent += 1));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const flood = Array.from({ length: AT_ONCE }, sender);
  await eventually('the first refusals', () => statuses.has(429));
  const result = await more();
  await Promise.all(flood);
  return { statuses, result };
}

const times = async (count: number, work: () => Promise<number>): Promise<number[]> => {
  const results: number[] = [];
  while (results.length < count) results.push(await work());
  return results;
};

describe('a thousand wrong attempts from one address', () => {
  it(
    'do not keep out who has signed in from there before, also after a restart',
    async () => {
      const first = await startApi({ databaseUrl: database.url });
      await newAccounts(first, 'mei.chan');
      expect(await signIn(first, 'mei.chan')).toBe(200);
      await first.close();

      const api = await startApi({ databaseUrl: database.url });
      try {
        const names = (i: number): string => (i % 100 === 0 ? 'mei.chan' : `nobody-${i}`);
        const { statuses, result } = await flooded(
          (i) => signIn(api, names(i), 'a wrong password'),
          () => times(5, () => signIn(api, 'mei.chan')),
        );
        expect(result).toEqual([200, 200, 200, 200, 200]);
        // 30 for the address, and what is tried for the name that is known there
        expect(statuses.get(401)).toBeLessThanOrEqual(30 + FLOOD / 100);
        expect([...statuses.keys()].sort()).toEqual([401, 429]);
      } finally {
        await api.close();
      }
    },
    FLOOD_MS_MAX,
  );
});

describe('a thousand wrong attempts through a trusted proxy', () => {
  it(
    'do not keep out who has an address of their own behind it, also with forged addresses',
    async () => {
      const settings = { trustProxy: ['127.0.0.0/8'] };
      const api = await startApi({ databaseUrl: database.url, settings });
      try {
        await newAccounts(api, 'far.away');
        const { statuses, result } = await flooded(
          (i) => signIn(api, `nobody-${i}`, 'a wrong password', `10.0.0.${i % 250}, 198.51.100.7`),
          () => times(5, () => signIn(api, 'far.away', PASSWORD, '198.51.100.7, 203.0.113.9')),
        );
        expect(result).toEqual([200, 200, 200, 200, 200]);
        expect(statuses.get(401)).toBeLessThanOrEqual(30);
      } finally {
        await api.close();
      }
    },
    FLOOD_MS_MAX,
  );
});

describe('wrong attempts for one name from a thousand addresses', () => {
  it(
    'do not keep its owner out at a known address, and leave little behind',
    async () => {
      const api = await startApi({ databaseUrl: database.url, settings: { trustProxy: 1 } });
      try {
        await newAccounts(api, 'hunted');
        expect(await signIn(api, 'hunted', PASSWORD, '192.0.2.200')).toBe(200);
        const { statuses, result } = await flooded(
          (i) =>
            signIn(api, 'hunted', 'a wrong password', `2001:db8:${(i % 65_535).toString(16)}::1`),
          () => times(5, () => signIn(api, 'hunted', PASSWORD, '192.0.2.200')),
        );
        expect(result).toEqual([200, 200, 200, 200, 200]);
        expect(statuses.get(401)).toBeLessThanOrEqual(30);
        const kept = await api.app
          .get(DataSource)
          .query<{ address: string }[]>(
            `select address from access.known_address where account_name = 'hunted'`,
          );
        expect(kept).toEqual([{ address: '192.0.2.200' }]);
      } finally {
        await api.close();
      }
    },
    FLOOD_MS_MAX,
  );
});

/** The most failed attempts for one name from one address. */
const PAIR_MAX = 5;

/** Tries a wrong password once from each address, one after the other. */
async function triedFrom(
  api: TestApi,
  name: string,
  addresses: readonly string[],
): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of addresses)
    statuses.push(await signIn(api, name, 'a wrong password', address));
  return statuses;
}

describe('the address of an attempt', () => {
  const many = Array.from({ length: PAIR_MAX + 1 }, (_, i) => i + 1);
  const limited = [...Array<number>(PAIR_MAX).fill(401), 429];

  it.each([
    ['no proxy is trusted', {}],
    ['the proxy that connects is not trusted', { trustProxy: ['192.0.2.0/24'] }],
  ])('is not the forged one of X-Forwarded-For if %s', async (_, settings) => {
    const api = await startApi({ databaseUrl: database.url, settings });
    try {
      const forged = many.map((i) => `203.0.113.${i}`);
      expect(await triedFrom(api, 'nobody', forged)).toEqual(limited);
    } finally {
      await api.close();
    }
  });

  it('is the one that the last trusted proxy saw, whatever the client wrote before it', async () => {
    const api = await startApi({ databaseUrl: database.url, settings: { trustProxy: 1 } });
    try {
      const forged = many.map((i) => `203.0.113.${i}, 198.51.100.7`);
      expect(await triedFrom(api, 'nobody', forged)).toEqual(limited);
    } finally {
      await api.close();
    }
  });

  it('is in the record and the log only if it is an address', async () => {
    const lines: string[] = [];
    const tell = (line: unknown): void => void lines.push(JSON.stringify(line));
    const logger = { log: tell, warn: tell, error: tell, fatal: tell };
    const api = await startApi({
      ...{ databaseUrl: database.url, settings: { trustProxy: 1 }, logger },
    });
    try {
      const forged = 'y'.repeat(15_000);
      expect(await triedFrom(api, 'nobody-at-all', [forged])).toEqual([401]);
      const rows = await api.app
        .get(DataSource)
        .query<{ data: object }[]>(
          `select data from access.outbox where data::text like '%(unreadable)%'`,
        );
      expect(rows).toEqual([{ data: { address: '(unreadable)' } }]);
      expect(lines.join('')).toContain('(unreadable)');
      expect(lines.join('')).not.toContain('yyyy');
    } finally {
      await api.close();
    }
  });

  it('is a /64 of IPv6', async () => {
    const api = await startApi({ databaseUrl: database.url, settings: { trustProxy: 1 } });
    try {
      const addresses = many.map((i) => `2001:db8::${i}`);
      expect(await triedFrom(api, 'nobody', addresses)).toEqual(limited);
      expect(await triedFrom(api, 'nobody', ['2001:db8:0:1::1'])).toEqual([401]);
    } finally {
      await api.close();
    }
  });
});

describe('known addresses', () => {
  it('are at most sixteen for a name: the latest', async () => {
    const api = await startApi({ databaseUrl: database.url });
    try {
      await newAccounts(api, 'traveller');
      const known = api.app.get(KnownAddresses);
      for (let i = 1; i <= 18; i += 1)
        await known.add({ name: 'traveller', address: `192.0.2.${i}` });
      const rows = await api.app
        .get(DataSource)
        .query<{ address: string }[]>(
          `select address from access.known_address where account_name = 'traveller'`,
        );
      expect(rows).toHaveLength(16);
      expect(rows).not.toContainEqual({ address: '192.0.2.1' });
      expect(rows).toContainEqual({ address: '192.0.2.18' });
    } finally {
      await api.close();
    }
  });
});
