import { createHash, randomUUID } from 'node:crypto';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { readVkey, verifyPackage } from '#evidence';
import pg from 'pg';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { openPackage } from '../../../apps/cli/src/verify/package-files.js';
import { eventually } from '../../kit/eventually.js';
import { TcpProxy } from '../../kit/tcp-proxy.js';
import { EXPORT_MS, logOf, MEGABYTES, PackagesFloor, type ExportSeen } from './packages-floor.js';

jest.setTimeout(EXPORT_MS + 60_000);

let floor: PackagesFloor;
/** Between exports and the log. */
let proxy: TcpProxy;
/** A package of B07 that the tests find made. */
let made: ExportSeen;
beforeAll(async () => {
  proxy = await TcpProxy.before(Number(new URL(process.env.TEST_DATABASE_URL as string).port));
  floor = await PackagesFloor.open((url) => {
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String(proxy.port);
    return address.href;
  });
  made = await floor.exported(OF_B07);
});
afterAll(async () => {
  await floor?.close();
  await proxy.close();
});

const PUBLISHED = JSON.parse(
  readFileSync(new URL('../../../rules/manifest.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** Returns the process ids of the exporters that the apis in this process started. */
function exportersOfThisProcess(): number[] {
  const asked = ['-P', String(process.pid), '-f', 'apps/exporter/src/main.js'];
  const pids = spawnSync('pgrep', asked, { encoding: 'utf8' }).stdout.split('\n');
  return pids.filter((pid) => pid !== '').map(Number);
}

const exporterOfThisProcess = (): number | undefined => exportersOfThisProcess()[0];

/** Returns the names of all files of an export. */
const filesOf = (id: string): string[] =>
  readdirSync(join(floor.folder, 'exports')).filter((name) => name.startsWith(id));

/** Resolves as soon as a process packs a package. That takes milliseconds, so it looks all the time. */
async function isPacked(id: string): Promise<void> {
  while (!filesOf(id).some((name) => name.endsWith('.part'))) await setImmediate();
}

const OF_B07 = { scope: { kind: 'table', table: 'B07' } };

interface HouseEvent {
  readonly type: string;
  readonly by: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns what the record of the house says of an export, in order. */
async function recorded(id: string): Promise<HouseEvent[]> {
  const reader = await floor.server.api.person('compliance');
  const events = await floor.server.all<HouseEvent>('/v1/house-events', reader);
  return events.filter(({ data }) => data.export === id).reverse();
}

describe('an export of a table', () => {
  let file: Buffer;
  beforeAll(async () => {
    file = (await floor.get(`/${made.id}/package`)).rawPayload;
  });

  let another: Promise<ExportSeen> | undefined;
  /** Returns another package of it, which the first test that asks makes. */
  const anotherOfIt = (): Promise<ExportSeen> => (another ??= floor.exported(OF_B07));

  it('is made, and says what it is', () => {
    expect(made).toMatchObject({
      state: 'made',
      askedBy: 'person/inspector',
      failure: null,
      package: { size: file.length, sha256: createHash('sha256').update(file).digest('hex') },
    });
    expect(made.package?.receipt).toMatch(/^shoeprint package v1\n/);
    expect(made.package?.note).toMatch(/^shoeprint\.example\/test\n/);
  });

  it('is a package that a reader with the key of the site finds intact', async () => {
    const path = join(floor.folder, 'b07.zip');
    writeFileSync(path, file);
    const opened = await openPackage(path);
    const keys = [readVkey(nodeCryptography.sha256, floor.vkey)];
    const replay = packageReplay({
      ...{ published: PUBLISHED, sha256: nodeCryptography.sha256, gamingDays },
      warnings: 'checked',
    });
    const report = await verifyPackage(
      opened.source,
      { keys, checkpoints: [], witnesses: [], quorum: 0 },
      replay,
      nodePlatform,
    );
    await opened.close();
    expect([report.verdict, report.faults]).toEqual(['INTACT', []]);
    expect(report.counts.records).toBe(made.package?.records);
  });

  it('is recorded in the house: who asked, for whom and why, what was made, and who fetched it', async () => {
    await floor.server.endMinute();
    const events = await eventually('the record of the download', async () => {
      const found = await recorded(made.id);
      return found.length >= 3 ? found : undefined;
    });
    expect(events).toMatchObject([
      {
        type: 'export-requested',
        by: 'person/inspector',
        data: { scope: OF_B07.scope, purpose: 'review', recipient: 'DICJ' },
      },
      {
        type: 'export-made',
        by: 'system/api',
        data: { sha256: made.package?.sha256, checkpoint: made.package?.checkpoint },
      },
      {
        type: 'export-downloaded',
        by: 'person/inspector',
        data: { sha256: made.package?.sha256 },
      },
    ]);
  }, 180_000);

  it('can be fetched in parts, which are together the package', async () => {
    const [half, size] = [Math.floor(file.length / 2), file.length];
    const part = async (range: string, more: Record<string, string> = {}) =>
      floor.get(`/${made.id}/package`, { headers: { range, ...more } });
    const tag = `"${made.package?.sha256 ?? ''}"`;
    const first = await part(`bytes=0-${half - 1}`);
    const rest = await part(`bytes=${half}-`, { 'if-range': tag });
    expect([first.statusCode, rest.statusCode]).toEqual([206, 206]);
    expect(rest.headers['content-range']).toBe(`bytes ${half}-${size - 1}/${size}`);
    expect(Buffer.concat([first.rawPayload, rest.rawPayload]).equals(file)).toBe(true);
    const last = await part('bytes=-10');
    expect(last.rawPayload.equals(file.subarray(-10))).toBe(true);
    const other = await part('bytes=0-9', { 'if-range': '"another"' });
    expect([other.statusCode, other.rawPayload.length]).toEqual([200, size]);
    const beyond = await part(`bytes=${size}-`);
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${size}`]);
    const several = await part('bytes=0-1,5-6');
    expect([several.statusCode, several.rawPayload.length]).toEqual([200, size]);
  });

  it('is not sent to a reader who has it, and a look at its head sends nothing', async () => {
    const headers = { 'if-none-match': `"${made.package?.sha256 ?? ''}"` };
    const known = await floor.get(`/${made.id}/package`, { headers });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    const head = await floor.get(`/${made.id}/package`, { method: 'HEAD' });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([
      200,
      String(file.length),
      '',
    ]);
  });

  it('is the same package again if nothing was sealed in between but the record of the house', async () => {
    const again = await anotherOfIt();
    expect(again.package?.records).toBe(made.package?.records);
    expect(again.id).not.toBe(made.id);
  });

  it('is answered as the first time under the same key, and refused with another body', async () => {
    const first = await floor.ask(OF_B07, { key: 'once' });
    const second = await floor.ask(OF_B07, { key: 'once' });
    expect([first.statusCode, second.statusCode]).toEqual([202, 202]);
    const [one, two] = [first, second].map((answer) => answer.json<ExportSeen>().id);
    expect(two).toBe(one);
    expect(first.headers.location).toBe(`/v1/exports/${one}`);
    const other = await floor.ask({ ...OF_B07, purpose: 'another' }, { key: 'once' });
    expect(other.json()).toMatchObject({ type: 'urn:shoeprint:problem:idempotency-key-reused' });
    await floor.remove(one);
  });

  it('is gone once somebody removes it', async () => {
    const { id } = await anotherOfIt();
    const removed = await floor.server.api.send('DELETE', `/v1/exports/${id}`, floor.regulator);
    expect(removed.statusCode).toBe(204);
    expect((await floor.shown(id)).state).toBe('gone');
    expect((await floor.get(`/${id}/package`)).statusCode).toBe(404);
    expect(filesOf(id)).toEqual([]);
    const again = await floor.server.api.send('DELETE', `/v1/exports/${id}`, floor.regulator);
    expect(again.statusCode).toBe(204);
    await floor.caughtUp();
    expect((await recorded(id)).filter(({ type }) => type === 'export-removed')).toMatchObject([
      { by: 'person/inspector', data: { export: id } },
    ]);
  });
});

describe('a package whose file is not there', () => {
  it('is a problem and no file for a browser to save', async () => {
    const path = join(floor.folder, 'exports', `${made.id}.zip`);
    const away = join(floor.folder, 'away.zip');
    renameSync(path, away);
    const answer = await floor.get(`/${made.id}/package`, { headers: { range: 'bytes=0-9' } });
    renameSync(away, path);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      'application/problem+json',
    ]);
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
    for (const name of ['content-disposition', 'content-range', 'accept-ranges', 'etag'])
      expect(answer.headers).not.toHaveProperty(name);
  });
});

describe('who may export what', () => {
  it.each(['pit-boss', 'surveillance', 'finance', 'integrator', 'admin'] as const)(
    'refuses %s',
    async (role) => {
      const token = await floor.server.api.person(role);
      expect((await floor.ask(OF_B07, { token })).statusCode).toBe(403);
      expect((await floor.get('', { token })).statusCode).toBe(403);
    },
  );

  it('hides what an account with some tables may not see', async () => {
    const token = await floor.server.api.person('compliance', { tables: ['=B08'] });
    const { id } = made;
    expect((await floor.ask(OF_B07, { token })).statusCode).toBe(404);
    expect((await floor.get(`/${id}`, { token })).statusCode).toBe(404);
    expect((await floor.get(`/${id}/package`, { token })).statusCode).toBe(404);
    const deleted = await floor.server.api.send('DELETE', `/v1/exports/${id}`, token);
    expect(deleted.statusCode).toBe(404);
    const own = await floor.ask({ scope: { kind: 'table', table: '=B08' } }, { token });
    expect(own.statusCode).toBe(202);
    const listed = (await floor.get('', { token })).json<{ items: ExportSeen[] }>().items;
    expect(listed.map((each) => each.id)).toEqual([own.json<ExportSeen>().id]);
    await floor.remove(own.json<ExportSeen>().id);
  });

  it('shows no export under its key to an account of the same person that may not see the table', async () => {
    const tokenFor = (table: string) =>
      floor.server.api.person('compliance', { person: 'mei', tables: [table] });
    const [one, other] = [await tokenFor('B07'), await tokenFor('=B08')];
    const asked = await floor.ask(OF_B07, { token: one, key: 'by-two' });
    expect(asked.statusCode).toBe(202);
    expect((await floor.ask(OF_B07, { token: other, key: 'by-two' })).statusCode).toBe(404);
    const own = { scope: { kind: 'table', table: '=B08' } };
    const reused = await floor.ask(own, { token: other, key: 'by-two' });
    expect(reused.json()).toMatchObject({ type: 'urn:shoeprint:problem:idempotency-key-reused' });
    await floor.remove(asked.json<ExportSeen>().id);
  });

  it('gives the record of the house and days of all tables to nobody with some tables', async () => {
    const token = await floor.server.api.person('compliance', { tables: ['B07'] });
    const house = await floor.ask({ scope: { kind: 'table', table: '@house' } }, { token });
    const day = await floor.ask({ scope: { kind: 'day', day: '2026-01-01' } }, { token });
    expect([house.statusCode, day.statusCode]).toEqual([404, 403]);
  });
});

describe('what cannot be exported', () => {
  const WRONG: readonly (readonly [string, object, number, string])[] = [
    ['an unknown kind', { scope: { kind: 'house' } }, 400, '/scope/kind'],
    ['no scope', {}, 400, '/scope'],
    ['a scope that is a list', { scope: [] }, 400, '/scope'],
    ['a shoe without its table', { scope: { kind: 'shoe', shoe: 'S' } }, 400, '/scope/table'],
    [
      'a table with a shoe',
      { scope: { kind: 'table', table: 'B07', shoe: 'S' } },
      400,
      '/scope/shoe',
    ],
    [
      'half a span',
      { scope: { kind: 'table', table: 'B07', from: '2026-01-01' } },
      400,
      '/scope/to',
    ],
    [
      'a day that no calendar has',
      { scope: { kind: 'day', day: '2026-02-30' } },
      400,
      '/scope/day',
    ],
    ['an unknown field', { ...OF_B07, all: true }, 400, '/all'],
    ['an unknown format', { ...OF_B07, formats: ['doc'] }, 400, '/formats'],
    [
      'too many checkpoints',
      { ...OF_B07, since: Array.from({ length: 1_500 }, (_, i) => i + 1) },
      400,
      '/since',
    ],
    [
      '10,000 checkpoints',
      { ...OF_B07, since: Array.from({ length: 10_000 }, (_, i) => i + 1) },
      400,
      '/since',
    ],
    ['no purpose', { ...OF_B07, purpose: '' }, 400, '/purpose'],
    ['a purpose with half a character', { ...OF_B07, purpose: '\ud800' }, 400, '/purpose'],
  ];

  it.each(WRONG)('refuses %s by name', async (_, body, status, pointer) => {
    const answer = await floor.ask(body);
    expect(answer.statusCode).toBe(status);
    expect(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer);
  });

  it('refuses a purpose of a megabyte, and a request without its key', async () => {
    const long = await floor.ask({ ...OF_B07, purpose: 'x'.repeat(1_000_000) });
    expect([400, 413]).toContain(long.statusCode);
    const keyless = await floor.server.api.send('POST', '/v1/exports', floor.regulator, {
      ...{ purpose: 'review', recipient: 'me' },
      ...OF_B07,
    });
    expect(keyless.statusCode).toBe(400);
  });

  it('does not know a table, a finding or an export that do not exist', async () => {
    const table = await floor.ask({ scope: { kind: 'table', table: 'nowhere' } });
    const finding = await floor.ask({ scope: { kind: 'finding', finding: 'no-finding' } });
    expect([table.statusCode, finding.statusCode]).toEqual([404, 404]);
    for (const id of ['x', '..', '%00', '00000000-0000-0000-0000-000000000000'])
      expect((await floor.get(`/${encodeURIComponent(id)}`)).statusCode).toBe(404);
  });

  it('refuses a day that no seal closed yet', async () => {
    const day = await floor.ask({ scope: { kind: 'day', day: '2031-01-01' } });
    expect(day.json()).toMatchObject({
      status: 409,
      type: 'urn:shoeprint:problem:day-not-sealed',
    });
  });

  it('fails for a shoe that does not exist, which the record of the house says', async () => {
    const failed = await floor.exported({ scope: { kind: 'shoe', table: 'B07', shoe: 'none' } });
    expect(failed).toMatchObject({ state: 'failed', failure: { code: 'unknown-shoe' } });
    expect((await floor.get(`/${failed.id}/package`)).statusCode).toBe(409);
    await floor.caughtUp();
    expect(await recorded(failed.id)).toMatchObject([
      { type: 'export-requested' },
      { type: 'export-failed', data: { code: 'unknown-shoe' } },
    ]);
  });
});

describe('an export that is disturbed', () => {
  it('is made below the priority of play, but not with the lowest, which may starve', async () => {
    const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
    const maker = await eventually('its maker', async () => exporterOfThisProcess());
    const below = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
    await eventually('its priority', async () => getPriority(maker) === below);
    expect((await floor.ended(id)).state).toBe('made');
  });

  it('is made again after the process that made it was killed', async () => {
    const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
    process.kill(
      await eventually('the process that makes the package', async () => exporterOfThisProcess()),
      'SIGKILL',
    );
    expect((await floor.ended(id)).state).toBe('made');
  });

  it('waits, and is made, if its process cannot reach the log, however often', async () => {
    const serveAgain = await proxy.refuse();
    const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    try {
      const pid = await eventually('a process that makes it', async () => exporterOfThisProcess());
      await eventually('its end', async () => exporterOfThisProcess() !== pid);
      const { state, tries } = await eventually(
        'the export back among those that wait',
        async () => {
          const { rows } = await client.query<{ state: string; tries: number }>(
            'select state, tries from access.export where id = $1',
            [id],
          );
          return rows.find((row) => row.state !== 'making');
        },
      );
      expect({ state, tries }).toEqual({ state: 'waiting', tries: 0 });
    } finally {
      await client.end();
      await serveAgain();
    }
    expect((await floor.ended(id)).state).toBe('made');
  });

  it('loses no try while the database takes nothing, and is made', async () => {
    const serveAgain = await proxy.refuse();
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    await client.query(`
      create function access.takes_nothing() returns trigger language plpgsql
        as $$ begin raise exception 'the disk is full'; end $$;
      create trigger takes_nothing before update on access.export for each row
        when (new.state = 'waiting') execute function access.takes_nothing()`);
    const rowOf = async (id: string): Promise<{ state: string; tries: number } | undefined> =>
      (
        await client.query<{ state: string; tries: number }>(
          'select state, tries from access.export where id = $1',
          [id],
        )
      ).rows[0];
    let ended: Promise<ExportSeen>;
    try {
      const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
      const pid = await eventually('a process that makes it', async () => exporterOfThisProcess());
      await eventually('its end', async () => exporterOfThisProcess() !== pid);
      expect(await rowOf(id)).toEqual({ state: 'making', tries: 0 });
      await client.query('drop function access.takes_nothing() cascade');
      const waiting = await eventually('the export back among those that wait', async () => {
        const row = await rowOf(id);
        return row?.state === 'waiting' && row;
      });
      expect(waiting.tries).toBe(0);
      ended = floor.ended(id);
    } finally {
      await client.query('drop function if exists access.takes_nothing() cascade');
      await client.end();
      await serveAgain();
    }
    expect((await ended).state).toBe('made');
  });

  it('stops without a fault in its log when its server lets it go', async () => {
    await floor.stopSealer();
    try {
      await floor.play('left');
      const { url } = floor.server.database;
      const child = fork('dist/apps/exporter/src/main.js', [], { silent: true });
      const lines = Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
      const path = join(floor.folder, 'exports-key');
      child.send({
        asked: { scope: { kind: 'table', table: 'left' }, since: [], formats: [], asItIs: false },
        ...{ log: logOf(url), databaseUrl: url, rules: [], gamingDays: null },
        ...{ key: { path, setting: 'key' }, file: `${path}.zip`, work: `${path}.work` },
      });
      await once(child, 'message'); // it waits for a seal
      child.disconnect();
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect((await lines).join('')).toMatch(/"level":"log".*"message":"export stopped"/);
    } finally {
      await floor.startSealer();
    }
  });

  it('is one package if a server that lost its lease makes it beside another', async () => {
    await floor.stopSealer();
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    const triesOf = async (id: string): Promise<number | undefined> =>
      (await client.query<{ tries: number }>('select tries from access.export where id = $1', [id]))
        .rows[0]?.tries;
    await floor.play('beside');
    const { id } = (
      await floor.ask({ scope: { kind: 'table', table: 'beside' } })
    ).json<ExportSeen>();
    const other = await floor.anotherApi();
    try {
      const first = await eventually('its maker', async () => exporterOfThisProcess());
      process.kill(first, 'SIGSTOP');
      // From now on no server hears that it lost its lease, or that another has it.
      await client.query(`begin;
        update access.export set held_until = now() - interval '1 s' where id = '${id}';
        create function access.hears_nothing() returns trigger language plpgsql as $$ begin
          if current_query() like '%set step = $3%' then raise exception 'no beat'; end if;
          return null; end $$;
        create trigger hears_nothing before update on access.export
          for each statement execute function access.hears_nothing();
        commit`);
      const second = await eventually('another maker', async () =>
        exportersOfThisProcess().find((pid) => pid !== first),
      );
      const lasting = `update access.export set held_until = now() + interval '1 h' where id = $1`;
      await client.query(lasting, [id]);
      const packing = isPacked(id);
      await floor.startSealer();
      await packing;
      process.kill(second, 'SIGSTOP');
      process.kill(first, 'SIGCONT');
      await eventually('the end of the first', async () => exporterOfThisProcess() === second);
      process.kill(second, 'SIGCONT');
      const { state, package: of } = await floor.ended(id);
      expect([state, await triesOf(id)]).toEqual(['made', 1]);
      const { rawPayload } = await floor.get(`/${id}/package`);
      expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(of?.sha256);
      expect(filesOf(id)).toEqual([`${id}.zip`]);
    } finally {
      await client.query('drop function if exists access.hears_nothing() cascade');
      await client.end();
      await other.close();
      if (!floor.isSealing) await floor.startSealer();
    }
  });

  it('goes on in another server if the first is stopped', async () => {
    const other = await floor.anotherApi();
    await floor.ask(OF_B07);
    const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
    await eventually('the export at work', async () => (await floor.shown(id)).state !== 'waiting');
    await other.close();
    expect((await floor.ended(id)).state).toBe('made');
  });

  it('cannot be fetched before the record of the house has it', async () => {
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    await client.query('begin; lock table log.record in exclusive mode'); // nothing is appended now
    const { id } = (await floor.ask(OF_B07)).json<ExportSeen>();
    try {
      await eventually(
        'the package that waits for its record',
        async () => (await floor.shown(id)).step === 'recording',
        EXPORT_MS / 2,
      );
      expect(existsSync(join(floor.folder, 'exports', `${id}.zip`))).toBe(true);
      expect((await floor.get(`/${id}/package`)).statusCode).toBe(409);
    } finally {
      await client.end();
    }
    expect((await floor.ended(id)).state).toBe('made');
    expect((await floor.get(`/${id}/package`)).statusCode).toBe(200);
  });

  it('fails if nothing seals, and says so', async () => {
    await floor.stopSealer();
    try {
      await floor.play('late');
      const failed = await floor.exported({ scope: { kind: 'table', table: 'late' } });
      expect(failed).toMatchObject({ state: 'failed', failure: { code: 'not-sealed' } });
      expect(existsSync(join(floor.folder, 'exports', `${failed.id}.zip`))).toBe(false);
    } finally {
      await floor.startSealer();
    }
  });
});

describe('what is written of packages under way', () => {
  const LIMIT = MEGABYTES * 1_000_000;
  const pathOf = (name: string): string => join(floor.folder, 'exports', name);
  const stateOf = async (id: string): Promise<string> => (await floor.shown(id)).state;

  /** Puts a file of a size, without content, into the folder in which a package is made. */
  function work(id: string, bytes: number): string {
    const folder = pathOf(`${id}.0badf00d.work`);
    mkdirSync(join(folder, 'data'), { recursive: true });
    const file = join(folder, 'data', 'records');
    writeFileSync(file, '');
    truncateSync(file, bytes);
    return folder;
  }

  it('counts in the limit of the folder, so the oldest packages go', async () => {
    const { id } = made;
    // Beside it there is room for one package of this size, and not for two.
    const folder = work(randomUUID(), LIMIT - Math.round(1.5 * (made.package?.size ?? 0)));
    const next = await floor.exported(OF_B07);
    await eventually('the older one gone', async () => (await stateOf(id)) === 'gone');
    await eventually('its file gone', () => !existsSync(pathOf(`${id}.zip`)));
    expect([await stateOf(next.id), existsSync(pathOf(`${next.id}.zip`))]).toEqual(['made', true]);
    rmSync(folder, { recursive: true });
  });

  it('ends the largest of them if it does not fit, and nothing is left of it', async () => {
    await floor.stopSealer();
    try {
      await floor.play('large');
      const asked = await floor.ask({ scope: { kind: 'table', table: 'large' } });
      const { id } = asked.json<ExportSeen>();
      await eventually('the export at work', async () => (await stateOf(id)) === 'making');
      const folder = work(id, LIMIT + 1);
      const { state, failure } = await floor.ended(id);
      expect([state, failure?.code]).toEqual(['failed', 'too-large']);
      expect(failure?.detail).toMatch(/has \d+ bytes.* SHOEPRINT_EXPORTS_MB allows 100000000$/);
      await eventually('the folder gone', () => !existsSync(folder));
    } finally {
      await floor.startSealer();
    }
  });
});
