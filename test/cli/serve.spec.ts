import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulate } from '#audit';
import { BOOK } from '../kit/house.js';
import { built } from './shoeprint.js';
import { eventually } from '../kit/eventually.js';
import { endAll, postgresOf, signedIn, START_MS, Started } from './serving.js';

const data = mkdtempSync(join(tmpdir(), 'shoeprint-serve-'));
const serve = (...more: string[]): Started =>
  Started.shoeprint(['serve', '--data', data, '--port', '0', ...more]);
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

beforeAll(built);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

describe('shoeprint serve', () => {
  it(
    'starts everything on an empty folder without a sample day, judges what is sent, and stops its database at the end',
    async () => {
      const server = serve();
      const { ask, send } = await signedIn(server);
      expect(server.said).not.toMatch(/sample day/i);
      expect(await (await ask('/v1/tables')).json()).toMatchObject({ lines: [] });
      const lines = [
        ...simulate({
          rules: BOOK.get('punto-banco@1') as never,
          seed: 'serve',
          shoes: 1,
          table: 'B07',
          bets: true,
        }).lines,
      ];
      await send(lines);
      await eventually(
        'the events judged',
        async () => {
          const {
            lines: [table],
          } = (await (await ask('/v1/tables')).json()) as {
            lines: { table: string; events: { read: number } }[];
          };
          return table?.events.read === lines.length;
        },
        START_MS,
      );
      const postgres = postgresOf(data) as number;
      expect(isGone(postgres)).toBe(false);
      process.kill(server.programPid, 'SIGTERM'); // a service manager signals the whole group
      expect(await server.stop('SIGTERM')).toBe(0);
      await eventually('the end of PostgreSQL', () => isGone(postgres));
      expect(postgresOf(data)).toBeUndefined();
    },
    2 * START_MS,
  );

  it(
    'finds its data after a restart, and refuses a second server on the folder or the port',
    async () => {
      const server = serve();
      const { ask, url } = await signedIn(server);
      expect(await (await ask('/v1/tables')).json()).toMatchObject({ lines: [{ table: 'B07' }] });
      const second = serve();
      expect(await second.ended).toBe(2);
      expect(second.said).toMatch(/^shoeprint: another server runs on .*$/m);
      expect((await ask('/v1/tables')).status).toBe(200);
      const folder = join(data, 'other');
      const third = Started.shoeprint(['serve', '--data', folder, '--port', new URL(url).port]);
      expect(await third.ended).toBe(2);
      expect(third.said).toMatch(/^ *SHOEPRINT_PORT: another program listens there$/m);
      expect(postgresOf(folder)).toBeUndefined();
      expect(await server.stop('SIGHUP')).toBe(0);
    },
    2 * START_MS,
  );

  it(
    'refuses an invalid port',
    async () => {
      const refused = Started.shoeprint(['serve', '--port', '65536']);
      expect(await refused.ended).toBe(2);
      expect(refused.said).toMatch(/It must be a number from 0 to 65535/);
    },
    START_MS,
  );

  it(
    'stops when the command is killed, and leaves no database behind',
    async () => {
      const server = serve();
      await signedIn(server);
      const [program, postgres] = [server.programPid, postgresOf(data) as number];
      await server.stop('SIGKILL');
      await eventually(
        'the end of the server and of PostgreSQL',
        () => isGone(program) && isGone(postgres),
        START_MS,
      );
    },
    START_MS,
  );

  it(
    'stops on Ctrl-C in a terminal, and prints only what a person needs',
    async () => {
      const server = Started.onTerminal(['serve', '--data', data, '--port', '0']);
      await signedIn(server);
      const postgres = postgresOf(data) as number;
      server.child.stdin?.write('\u0003');
      expect({ code: await server.ended, said: server.said }).toEqual({
        code: 0,
        said: expect.stringMatching(/^ {2}Stopping\r?$/m),
      });
      // it has ended, but reaping it may take a moment
      await eventually('the end of PostgreSQL', () => isGone(postgres));
      expect(server.said).not.toMatch(/^\{/m);
    },
    START_MS,
  );

  it.each<[string, NodeJS.ProcessEnv, readonly string[]]>([
    [
      'several at once',
      { SHOEPRINT_SESSION_HOURS: '0', SHOEPRINT_GAMING_DAY: 'noon', SHOEPRINT_TLS_KEY: '/nowhere' },
      ['SHOEPRINT_SESSION_HOURS', 'SHOEPRINT_GAMING_DAY', 'SHOEPRINT_TLS_KEY'],
    ],
    [
      'an unknown time zone',
      { SHOEPRINT_GAMING_DAY: '[{"from":"2026-01-01","zone":"Casino/Floor","cutover":"06:00"}]' },
      ['SHOEPRINT_GAMING_DAY'],
    ],
    [
      'another number of partitions than the folder has',
      { SHOEPRINT_PARTITIONS: '5' },
      ['SHOEPRINT_PARTITIONS'],
    ],
    [
      'a review policy that is not installed',
      { SHOEPRINT_POLICY: 'review@999' },
      ['SHOEPRINT_POLICY'],
    ],
    ['an address of another machine', { SHOEPRINT_HOST: '192.0.2.1' }, ['SHOEPRINT_HOST']],
  ])(
    'names the setting that it refuses: %s',
    async (_what, env, names) => {
      const server = Started.shoeprint(['serve', '--data', data, '--port', '0'], env);
      expect(await server.ended).toBe(2);
      for (const name of names)
        expect(server.said).toMatch(new RegExp(`^\\s*(shoeprint: )?${name}: `, 'm'));
      expect(server.said).not.toMatch(/^ +at /m);
      expect(postgresOf(data)).toBeUndefined();
    },
    START_MS,
  );
});
