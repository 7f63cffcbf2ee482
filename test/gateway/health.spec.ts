import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ProbeServer } from '#process';
import { serveGatewayHealth } from '../../apps/gateway/src/health/health.js';
import {
  type DeviceSnapshot,
  type GatewaySnapshot,
  readinessOf,
} from '../../apps/gateway/src/health/snapshot.js';

const NOW = Date.parse('2026-11-24T05:00:00Z');
const DEVICE: DeviceSnapshot = {
  ...{ name: 'B07-shoe', protocol: 'angel-eye-ii-ex', link: 'up', heardAt: NOW - 3_000 },
  ...{ frames: { ok: 871, damaged: 0, none: 0 }, lost: 0 },
};
const SOUND: GatewaySnapshot = {
  table: 'B07',
  version: '0.1.0',
  delivery: { is: 'fresh' },
  delivered: 870,
  spool: {
    ...{ last: 1_204, sent: 1_180, segments: 1, bytes: 3_145_728, full: undefined },
    ...{ oldestAt: null, syncSeconds: 0.012 },
  },
  devices: [DEVICE],
  refusedSkips: {},
  clock: { synchronised: true, offsetSeconds: 0.004 },
};
const oldestAt = NOW - 42_000;
const waiting = { is: 'waiting', why: 'cannot be reached (ECONNREFUSED)', oldestAt } as const;
const readiness = (changes: Partial<GatewaySnapshot>) => readinessOf({ ...SOUND, ...changes }, NOW);

describe('a gateway', () => {
  it('answers /readyz with what the page shows', () => {
    const page = readFileSync('docs/integrating/health.md', 'utf8');
    const shown = JSON.parse(/```json\n([^]*?)```/.exec(page)?.[1] ?? '') as object;
    expect(readiness({ delivery: waiting })).toEqual(shown);
  });

  it.each<[string, Partial<GatewaySnapshot>]>([
    ['is behind', { delivery: { is: 'behind', oldestAt } }],
    ['waits for the api', { delivery: waiting }],
    ['has one link of two', { devices: [DEVICE, { ...DEVICE, name: 'x', link: 'down' }] }],
    [
      'has a clock that is not synchronized',
      { clock: { synchronised: false, offsetSeconds: 1.234 } },
    ],
    ['has a device with a problem', { devices: [{ ...DEVICE, problem: 'try 9600 baud' }] }],
  ])('is ready while it %s', (_, changes) => {
    expect(readiness(changes)).toMatchObject({ ready: true, reasons: [] });
  });

  it.each<[string, Partial<GatewaySnapshot>, string]>([
    [
      'its spool is full',
      { spool: { ...SOUND.spool, full: 'the disk refuses: ENOSPC' } },
      'the spool takes no frames: the disk refuses: ENOSPC',
    ],
    [
      'delivery is blocked',
      { delivery: { is: 'blocked', why: 'answered 404', oldestAt } },
      'delivery is blocked, the oldest event is 42 s old: answered 404',
    ],
    [
      'delivery is blocked by an event',
      { delivery: { is: 'blocked', why: 'no', event: { n: 12, event: 3 }, oldestAt } },
      'delivery is blocked at event 3 of line 12, the oldest event is 42 s old: no',
    ],
    [
      'no device has a link',
      { devices: [{ ...DEVICE, link: 'down', why: 'ENOENT' }] },
      'no device has a link',
    ],
  ])('is not ready while %s', (_, changes, reason) => {
    expect(readiness(changes)).toMatchObject({ ready: false, reasons: [reason] });
  });

  it('says of each device its link, when it was heard, and what a person should look at', () => {
    const devices: DeviceSnapshot[] = [
      { ...DEVICE, name: 'a', link: 'down', why: 'no such device file', heardAt: null },
      { ...DEVICE, name: 'b', problem: 'bytes arrive and no frame fits', heardAt: NOW + 5_000 },
    ];
    expect(readiness({ devices }).devices).toEqual({
      a: 'angel-eye-ii-ex, link down (no such device file); heard nothing yet; 871 frames, 0 damaged, 0 lost',
      b: 'angel-eye-ii-ex, link up; heard 0 s ago; 871 frames, 0 damaged, 0 lost; bytes arrive and no frame fits',
    });
  });

  it.each([
    [true, 'synchronized; moved by 0.25 s since the start'],
    [false, 'not synchronized; moved by 0.25 s since the start'],
    [null, 'not known to be synchronized; moved by 0.25 s since the start'],
  ])('says whether its clock is synchronized: %s', (synchronised, words) => {
    expect(readiness({ clock: { synchronised, offsetSeconds: 0.25 } }).clock).toBe(words);
  });
});

describe('the health port of a gateway', () => {
  let server: ProbeServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function get(path: string, snapshot: () => GatewaySnapshot) {
    server ??= await serveGatewayHealth(snapshot, '127.0.0.1', 0);
    const answer = await fetch(`${server.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  }

  it('answers from a snapshot of the moment in which it is asked', async () => {
    let snapshot = SOUND;
    const now = (): GatewaySnapshot => snapshot;
    expect(await get('/livez', now)).toEqual({ status: 200, text: 'ok\n' });
    expect((await get('/readyz', now)).status).toBe(200);
    snapshot = { ...SOUND, devices: [] };
    const { status, text } = await get('/readyz', now);
    expect([status, (JSON.parse(text) as { reasons: string[] }).reasons]).toEqual([
      503,
      ['no device has a link'],
    ]);
    expect((await get('/', now)).status).toBe(404);
  });

  it('serves the figures of the gateway as metrics', async () => {
    let snapshot: GatewaySnapshot = {
      ...SOUND,
      delivery: waiting,
      spool: { ...SOUND.spool, oldestAt: Date.now() - 60_000, full: 'the cap' },
      devices: [
        { ...DEVICE, frames: { ok: 5, damaged: 2, none: 1 }, lost: 4 },
        { ...DEVICE, name: 'B07-line', link: 'down' },
      ],
    };
    const now = (): GatewaySnapshot => snapshot;
    const { text } = await get('/metrics', now);
    for (const line of [
      'shoeprint_gateway_frames_total{device="B07-shoe",integrity="ok"} 5',
      'shoeprint_gateway_frames_total{device="B07-shoe",integrity="damaged"} 2',
      'shoeprint_gateway_frames_total{device="B07-shoe",integrity="none"} 1',
      'shoeprint_gateway_frames_total{device="B07-line",integrity="ok"} 871',
      'shoeprint_gateway_lost_total{device="B07-shoe"} 4',
      'shoeprint_gateway_delivered_total 870',
      'shoeprint_gateway_spool_records 24',
      'shoeprint_gateway_spool_bytes 3145728',
      'shoeprint_gateway_spool_full 1',
      'shoeprint_gateway_sync_seconds 0.012',
      'shoeprint_gateway_delivery_state{state="waiting"} 1',
      'shoeprint_gateway_delivery_state{state="fresh"} 0',
      'shoeprint_gateway_link_up{device="B07-shoe"} 1',
      'shoeprint_gateway_link_up{device="B07-line"} 0',
      'shoeprint_gateway_clock_offset_seconds 0.004',
    ])
      expect(text.split('\n')).toContain(line);
    const [, oldest] = /^shoeprint_gateway_spool_oldest_seconds (\d+)/m.exec(text) ?? [];
    expect(Number(oldest)).toBeGreaterThanOrEqual(60);
    expect(text).toContain('process_resident_memory_bytes');
    snapshot = SOUND;
    const later = (await get('/metrics', now)).text.split('\n');
    expect(later).toContain('shoeprint_gateway_spool_oldest_seconds 0');
    expect(later).toContain('shoeprint_gateway_delivery_state{state="waiting"} 0');
    expect(later).toContain('shoeprint_gateway_frames_total{device="B07-shoe",integrity="ok"} 871');
  });
});
