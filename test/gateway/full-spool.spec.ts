import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReportedEvent } from '#devices';
import { WallClock } from '#gateway';
import { audit, codes, type Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { reportsOf, shoeOf } from './coups.js';
import { SmallGateway } from './small-gateway.js';

const CAP_BYTES = 40_000;
const RUBBISH_BYTES = 400_000;
/** What a port passes on at once. */
const READ_BYTES = 8_192;
let gateway: SmallGateway;
beforeEach(async () => {
  const settings = { capBytes: CAP_BYTES, segmentBytes: 8_000, keepMs: 0, retryMs: 20 };
  gateway = await SmallGateway.open(settings, new WallClock());
});
afterEach(() => gateway.close());

const opened: ReportedEvent = { type: 'shoe-opened', data: { shoe: 'B07-1', decks: 8 } };
const note: ReportedEvent = { type: 'device-setting-changed', data: { code: 'x', text: 'y' } };

describe('a device on line protocol 1', () => {
  it('is acknowledged only what is on disk, also if it sends it again', async () => {
    gateway.link(1).opened('127.0.0.1:1');
    gateway.lineStarts();
    gateway.written.length = 0;
    const online: ReportedEvent = { type: 'device-online', data: { firmware: '1', missed: 0 } };
    for (let copy = 0; copy < 3; copy += 1) gateway.lineSays(1, online);
    expect([gateway.spool.figures.last, gateway.written]).toEqual([0, []]);
    await eventually('an acknowledgement', () =>
      gateway.written.some((line) => line.startsWith('$A,1,1*')),
    );
    expect(gateway.spool.figures.last).toBe(1);
  });
});

describe('the count of lost frames', () => {
  it('has the events that the api would refuse', async () => {
    const [line] = gateway.table.lines;
    if (line === undefined) throw new Error('there is no shoe');
    const events = [{ type: 'card-drawn', data: { card: '1S', to: 'player' } }];
    const observation = { kind: 'report', fields: { events }, raw: '00', integrity: 'ok', up: 1 };
    gateway.link(0).opened(null);
    await gateway.settled(() => gateway.table.heard(line, [observation as never]));
    await eventually('what the api would refuse', async () => {
      await gateway.deliver();
      return gateway.delivered.some(
        ({ data }) => (data as { code?: string }).code === 'unrecognised',
      );
    });
    await turn();
    expect(line.snapshot().lost).toBe(1);
  });
});

describe('a gateway whose spool is full', () => {
  it('counts what a shoe says, skips as many numbers, and accuses nobody', async () => {
    const reports = reportsOf(shoeOf('full'));
    const sayCoup = (): void => {
      const end = reports.findIndex(({ is }) => is === 'result') + 1;
      gateway.shoeSays(...reports.splice(0, end));
    };
    const results = (): number =>
      gateway.delivered.filter(({ type }) => type === 'shoeprint.outcome-declared.v1').length;
    gateway.link(0).opened(null);
    while (gateway.spool.figures.full === undefined) {
      await gateway.settled(sayCoup);
    }
    for (let more = 0; more < 3; more += 1) sayCoup();
    await gateway.deliver();
    await gateway.room();
    const recorded = results();
    for (let more = 0; more < 4; more += 1) sayCoup();
    await eventually('the four coups after it', async () => {
      await gateway.deliver();
      return results() === recorded + 4;
    });
    const errors = gateway.delivered
      .filter(({ type }) => type === 'shoeprint.device-error.v1')
      .map(({ data }) => data as { code: string; text: string });
    expect(errors.map(({ code }) => code)).toEqual(['spool-full', 'frame-lost']);
    expect(errors[1]?.text).toMatch(/^\d\d lost: the spool was full$/);
    const [shoe] = gateway.table.lines;
    expect(shoe?.snapshot().lost).toBe(parseInt(errors[1]?.text ?? '', 10));
    const { findings } = audit(gateway.delivered, { once: true });
    expect(codes(findings)).toEqual(['DV-04']);
  });

  it('asks a device on line protocol 1 to wait, and loses nothing of it', async () => {
    gateway.link(1).opened('127.0.0.1:1');
    gateway.lineStarts();
    let seq = 1;
    gateway.lineSays(seq, { type: 'device-online', data: { firmware: '1', missed: 0 } });
    gateway.lineSays((seq += 1), opened);
    while (gateway.spool.figures.full === undefined) {
      await gateway.settled(() => gateway.lineSays((seq += 1), note));
    }
    await eventually('B', () => gateway.written.some((line) => line.startsWith('$B,1,')));
    const acknowledged = Math.max(
      ...gateway.written.flatMap((line) => {
        const [, number] = /^\$A,1,(\d+)\*/.exec(line) ?? [];
        return number === undefined ? [] : [Number(number)];
      }),
    );
    await gateway.deliver();
    await gateway.room();
    gateway.lineStarts(seq, acknowledged + 1);
    for (let again = acknowledged + 1; again <= seq; again += 1) gateway.lineSays(again, note);
    await eventually('the last event', async () => {
      await gateway.deliver();
      return gateway.delivered.some(({ sequence }) => sequence === seq);
    });
    const ofLine = gateway.delivered.filter(({ source }) => source === 'device/B07-line');
    expect(ofLine.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: seq }, (_, at) => at + 1),
    );
  });
});

describe('a link that is lost at the moment when the spool becomes full', () => {
  const CARDS_ACCUSE = /^(DL|TC|RS)-/;

  /** Fills most of the spool, and then does something together with more than there is room for. */
  async function overflow(says: () => void, act: () => void): Promise<void> {
    while (gateway.spool.figures.bytes < CAP_BYTES / 2) await gateway.settled(says);
    await gateway.settled(() => {
      for (let more = 0; more < 12; more += 1) says();
      act();
    });
    expect(gateway.spool.figures.full).toBeDefined();
  }

  /** Delivers, waits for room, and waits until what could not be recorded is recorded. */
  async function recorded(type: string, count = 1): Promise<Sent[]> {
    await gateway.deliver();
    await gateway.room();
    return eventually(`${type} on disk`, async () => {
      await gateway.deliver();
      const found = gateway.delivered.filter((each) => each.type === `shoeprint.${type}.v1`);
      return found.length >= count && found;
    });
  }
  const textsOf = (sent: readonly Sent[]) =>
    sent.map(({ data }) => data as { code?: string; text: string });

  it('is recorded once there is room, and nobody is accused', async () => {
    const reports = reportsOf(shoeOf('full'));
    const sayCoup = (): void => {
      const end = reports.findIndex(({ is }) => is === 'result') + 1;
      gateway.shoeSays(...reports.splice(0, end));
    };
    gateway.link(0).opened(null);
    await overflow(sayCoup, () => {
      gateway.shoeSays(...reports.splice(0, 2));
      gateway.link(0).lost('the cable was pulled');
    });
    expect(textsOf(await recorded('device-offline'))).toEqual([
      { text: 'while the spool was full' },
    ]);
    reports.splice(0, reports.findIndex(({ is }) => is === 'result') + 1);
    gateway.link(0).opened(null);
    for (let more = 0; more < 4; more += 1) sayCoup();
    await gateway.settled(sayCoup);
    await gateway.deliver();
    const found = codes(audit(gateway.delivered, { once: true }).findings);
    expect(found).toContain('DV-06');
    expect(found.filter((code) => CARDS_ACCUSE.test(code))).toEqual([]);
  });

  it('begins a new session of the device if the link came back meanwhile', async () => {
    const reports = reportsOf(shoeOf('full'));
    const sayCoup = (): void => {
      const end = reports.findIndex(({ is }) => is === 'result') + 1;
      gateway.shoeSays(...reports.splice(0, end));
    };
    gateway.link(0).opened(null);
    await overflow(sayCoup, () => gateway.link(0).lost('the cable was pulled'));
    gateway.link(0).opened(null);
    const online = await recorded('device-online', 3); // one of them is the gateway's
    const ofShoe = online.filter(({ source }) => source === 'device/B07-shoe');
    expect(new Set(ofShoe.map(({ session }) => session)).size).toBe(2);
  });

  it('is recorded of a device on line protocol 1, with its return', async () => {
    gateway.link(1).opened('127.0.0.1:1');
    gateway.lineStarts();
    let seq = 0;
    const say = (): void => {
      for (let more = 0; more < 6; more += 1) gateway.lineSays((seq += 1), note);
    };
    await overflow(say, () => gateway.link(1).lost('the cable was pulled'));
    gateway.link(1).opened('127.0.0.1:1');
    expect(textsOf(await recorded('device-error-cleared'))).toEqual([
      { code: 'link-lost', text: 'B07-line' },
    ]);
    const errors = gateway.delivered.filter(({ type }) => type === 'shoeprint.device-error.v1');
    expect(textsOf(errors).filter(({ code }) => code === 'link-lost')).toEqual([
      { code: 'link-lost', text: 'B07-line: the cable was pulled' },
    ]);
  });
});

describe('a skip of an event', () => {
  const skip = { n: 1, event: 1, by: 'mei.chan', reason: 'a rule document that never existed' };
  const ofGateway = (): Sent[] =>
    gateway.delivered.filter(({ source }) => source === 'device/B07-gateway');

  it('is taken by a spool that is full, so that delivery can make room again', async () => {
    const reports = reportsOf(shoeOf('full'));
    gateway.link(0).opened(null);
    while (gateway.spool.figures.full === undefined)
      await gateway.settled(() => gateway.shoeSays(...reports.splice(0, 5)));
    await turn();
    gateway.table.trouble('device-error', 'clock-step', 'by 1.000 s'); // finds no room
    const { last } = gateway.spool.figures;
    await gateway.table.skip(skip);
    expect(gateway.spool.figures).toMatchObject({ last: last + 1, full: expect.any(String) });
    expect(gateway.owner.isSkipped(skip)).toBe(true);
    gateway.shoeSays(...reports.splice(0, 5));
    await gateway.deliver();
    await gateway.room();
    await eventually('all troubles', async () => {
      await gateway.deliver();
      return ofGateway().length === 4;
    });
    const codesOf = ofGateway().map(({ data }) => (data as { code?: string }).code);
    expect(codesOf).toEqual([undefined, 'event-skipped', 'spool-full', 'clock-step']);
    expect(ofGateway().map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(codes(audit(gateway.delivered, { once: true }).findings)).toEqual(['DV-04']);
  });

  it('sets no event aside of a line that is not written yet', async () => {
    const later = { ...skip, n: 99 };
    await gateway.table.skip(later); // as an earlier version recorded it
    expect(gateway.owner.isSkipped(later)).toBe(false);
  });

  it('is rejected if the disk refuses it, and uses up no number', async () => {
    const broken = await SmallGateway.open({ segmentBytes: 1, retryMs: 20 }, new WallClock());
    try {
      broken.table.trouble('device-error', 'clock-step', 'by 1.000 s');
      await eventually('its line', () => broken.spool.figures.last === 1);
      broken.breakDisk();
      try {
        for (let more = 0; more < 3; more += 1)
          await expect(broken.table.skip(skip)).rejects.toThrow('the disk refuses: ');
      } finally {
        broken.mendDisk();
      }
      await broken.room();
      await broken.table.skip(skip);
      await broken.deliver();
      expect(broken.delivered.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
      expect(codes(audit(broken.delivered, { once: true }).findings)).toEqual([]);
    } finally {
      await broken.close();
    }
  });
});

describe('a trouble of the gateway itself while its spool is full', () => {
  it('is recorded once there is room, the last one of each kind', async () => {
    gateway.link(0).opened(null);
    const reports = reportsOf(shoeOf('full'));
    while (gateway.spool.figures.full === undefined)
      await gateway.settled(() => gateway.shoeSays(...reports.splice(0, 5)));
    await turn();
    const damage = { segment: 'a.spool', at: 1, bytes: 2, from: 3, to: 4, file: null, crc: '0' };
    gateway.table.trouble('device-error', 'clock-step', 'by 1.000 s');
    gateway.table.trouble('device-error', 'clock-step', 'by 2.000 s');
    gateway.table.damaged({ kind: 'damaged', damage } as never);
    gateway.table.trouble('device-error-cleared', 'clock-unsynchronised', 'it follows another');
    await gateway.deliver();
    await gateway.room();
    const said = await eventually('all of them', async () => {
      await gateway.deliver();
      const ofGateway = gateway.delivered.filter(({ source }) => source === 'device/B07-gateway');
      return ofGateway.length >= 5 && ofGateway;
    });
    expect(said.map(({ data }) => (data as { code?: string }).code)).toEqual([
      ...[undefined, 'spool-full', 'clock-step', 'spool-damaged', 'clock-unsynchronised'],
    ]);
    expect((said[2]?.data as { text: string }).text).toBe(
      'by 2.000 s, the last of 2 while the spool was full',
    );
    const sequences = said.map(({ sequence }) => sequence);
    expect(sequences).toEqual([1, 2, 3, 4, 5]);
    const online = gateway.delivered.filter(
      ({ type, source }) => source === 'device/B07-shoe' && type === 'shoeprint.device-online.v1',
    );
    expect(online).toHaveLength(2); // what was damaged may have been of its first session
  });
});

describe('a device that sends rubbish faster than the disk takes it', () => {
  it('is read no faster, so that no spool fills when its link ends', async () => {
    const roomy = await SmallGateway.open({}, new WallClock());
    try {
      roomy.link(1).opened('127.0.0.1:1');
      roomy.lineStarts();
      roomy.link(0).opened('127.0.0.1:2');
      for (let left = RUBBISH_BYTES; left > 0; left -= READ_BYTES) {
        await eventually('a port that is read', () => roomy.isRead(0));
        roomy.link(0).bytes(randomBytes(READ_BYTES), 1);
        await turn();
      }
      roomy.link(0).lost('the other side closed the connection');
      await eventually('the loss', async () => {
        await roomy.deliver();
        return roomy.delivered.some(({ type }) => type === 'shoeprint.device-offline.v1');
      });
      expect(roomy.written.filter((line) => line.startsWith('$B'))).toEqual([]);
    } finally {
      await roomy.close();
    }
  }, 60_000);
});
