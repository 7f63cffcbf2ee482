import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { type ConsoleServer, startConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';

/** Longer than work must fail until it is said. */
const SAYS_MS = 60_000;

interface Need {
  readonly ok: boolean;
  readonly notes: readonly string[];
}
interface Readiness {
  readonly ready: boolean;
  readonly judging: Need;
  readonly sealing: Need;
}

describe('/readyz of a server in one process', () => {
  let server: ConsoleServer;
  let database: pg.Client;
  beforeAll(async () => {
    server = await startConsoleServer();
    database = await server.database();
    await database.query(`create function public.full() returns trigger language plpgsql as $$
      begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`);
  }, 360_000);
  afterAll(async () => {
    await database?.end();
    await server?.close();
  });

  const readiness = async (): Promise<Readiness> =>
    (await (await fetch(`${server.url}/readyz`)).json()) as Readiness;

  /** Signs somebody in, which is an event: there is something to judge and to seal. */
  async function signIn(): Promise<void> {
    const answer = await fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'pit-boss', password: server.passwordOf('pit-boss') }),
    });
    expect(answer.status).toBe(200);
  }

  it('says that judging and sealing go on', async () => {
    const well = { ok: true, notes: [] };
    expect(await readiness()).toMatchObject({ ready: true, judging: well, sealing: well });
  });

  it.each([
    { work: 'judging', table: 'rows.position' },
    { work: 'sealing', table: 'seal.position' },
  ] as const)(
    'says why $work stands still, and stays ready because events are recorded',
    async ({ work, table }) => {
      await database.query(
        `create trigger full_disk before update on ${table}
         for each statement execute function public.full()`,
      );
      await signIn();
      const failing = { ok: false, notes: [expect.stringMatching(/: no space left on device$/)] };
      const found = await eventually(
        `${work} that fails`,
        async () => {
          const now = await readiness();
          return now[work].ok ? undefined : now;
        },
        SAYS_MS,
      );
      expect(found).toMatchObject({ ready: true, [work]: failing });
      await database.query(`drop trigger full_disk on ${table}`);
      await eventually(`${work} that goes on`, async () => (await readiness())[work].ok, SAYS_MS);
    },
    3 * SAYS_MS,
  );
});
