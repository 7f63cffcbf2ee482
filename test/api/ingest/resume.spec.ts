import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { partitionOf } from '#event-log';
import { built, shoeprintBeside } from '../../cli/shoeprint.js';
import { eventually } from '../../kit/eventually.js';
import { dayLines, ReadingFloor } from '../reading/reading-floor.js';

interface Position {
  readonly partition: number;
  readonly next: number;
  readonly stopped: { readonly reason: string; readonly offset: number } | null;
}

let floor: ReadingFloor;
let admin: string;
const lines = dayLines(['B07'], 'resumed').slice(0, 300);
const partition = partitionOf('B07', 4);
beforeAll(async () => {
  built();
  floor = await ReadingFloor.open([]);
  admin = await floor.server.api.person('admin', { name: 'resumer' });
});
afterAll(() => floor?.close());

const position = async (): Promise<Position> => {
  const { items } = await floor.read<{ items: Position[] }>('/v1/positions', admin);
  return items.find((item) => item.partition === partition) as Position;
};
const resume = (of: string, token = admin): Promise<{ statusCode: number; body: string }> =>
  floor.server.api.send('POST', `/v1/positions/${of}/resume`, token);
const shoeprint = (args: readonly string[]): ReturnType<typeof shoeprintBeside> =>
  shoeprintBeside(['parked', ...args, '--url', floor.server.url], { SHOEPRINT_TOKEN: admin });

describe('a stopped partition', () => {
  it('is shown, stops again while its cause persists, and continues from there once it is repaired and resumed', async () => {
    expect((await shoeprint([])).stdout).toBe('no table is parked, and no partition is stopped\n');
    await floor.send(lines.slice(0, 100));
    await floor.caughtUp();
    const before = (await position()).next;
    floor.log.faults.hole = { partition, offset: before };
    for (const from of [100, 150]) await floor.send(lines.slice(from, from + 50));
    const { stopped, next } = await eventually('a stopped partition', async () =>
      (await position()).stopped ? position() : undefined,
    );
    expect([next, stopped?.offset]).toEqual([before, before]);
    expect(stopped?.reason).toMatch(/BrokenLog/);
    const { items } = await floor.read<{ items: Position[] }>('/v1/positions', admin);
    expect(items.filter((item) => item.stopped !== null)).toHaveLength(1);
    const shown = await shoeprint([]);
    expect(shown.stdout).toMatch(
      new RegExp(
        `^partition .*\\n *${partition} .* ${before} .*BrokenLog.*\\n\\n1 partition stopped\\n$`,
      ),
    );
    expect(JSON.parse((await shoeprint(['--json'])).stdout)).toEqual({
      parked: [],
      stopped: [{ partition, stopped: expect.objectContaining({ offset: before }) }],
    });

    expect(await resume(String(partition))).toMatchObject({ statusCode: 202, body: '' });
    await eventually('stopped again', async () => (await position()).stopped);
    expect((await position()).next).toBe(before);

    delete floor.log.faults.hole;
    await floor.send(lines.slice(200));
    const resumed = await shoeprint(['resume', String(partition)]);
    expect([resumed.code, resumed.stdout]).toEqual([
      0,
      `partition ${partition}: an auditor continues it within seconds, and stops it again if the cause is still there\n`,
    ]);
    await floor.caughtUp();
    expect((await position()).stopped).toBeNull();
    const {
      lines: [table],
    } = await floor.read<{ lines: { events: { admitted: number } }[] }>('/v1/tables?table=B07');
    expect(table?.events.admitted).toBe(lines.length);
  });

  it('cannot be resumed if it is not stopped, does not exist, or has tables that the caller may not see', async () => {
    for (const each of ['0', '99', '-1', 'x', '1e1', '9'.repeat(30), '%00', '%20']) {
      const { statusCode, body } = await resume(each);
      expect([each, statusCode, (JSON.parse(body) as { type: string }).type]).toEqual([
        each,
        404,
        'urn:shoeprint:problem:not-found',
      ]);
    }
    const narrow = await floor.server.api.person('admin', { tables: ['B07'] });
    expect((await resume(String(partition), narrow)).statusCode).toBe(403);
    expect((await shoeprint(['resume', '99'])).stderr).toContain(
      'no stopped partition has this number',
    );
  });

  it('is logged under the name of the person who resumes it', async () => {
    const told: unknown[] = [];
    const tell = (message: unknown): void => void told.push(message);
    Logger.overrideLogger({ log: tell, error: tell, warn: tell });
    try {
      floor.log.faults.hole = { partition, offset: (await position()).next };
      for (const from of [300, 305])
        await floor.send(dayLines(['B07'], 'resumed').slice(from, from + 5));
      await eventually('a stopped partition', async () => (await position()).stopped);
      delete floor.log.faults.hole;
      expect((await resume(String(partition))).statusCode).toBe(202);
      expect(told).toContainEqual({
        message: 'stopped partition made claimable again',
        partition,
        by: 'person/resumer',
        instance: expect.stringMatching(/^urn:uuid:/),
      });
      await floor.caughtUp();
    } finally {
      Logger.overrideLogger(false);
    }
  });
});
