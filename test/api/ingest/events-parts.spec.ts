import { describe, expect, it } from '@jest/globals';
import { formOf } from '../../../apps/api/src/ingest/body/event-form.js';
import { FaultList } from '../../../apps/api/src/ingest/events/fault-list.js';
import { ReceivedClock } from '../../../apps/api/src/ingest/events/received-clock.js';
import { TableRecords } from '../../../apps/api/src/ingest/events/table-records.js';

describe('the clock of stamps', () => {
  it("never goes back, whatever the machine's clock says", () => {
    const said = [1000, 2000, 1500, 1999, 2001];
    const clock = new ReceivedClock(() => said.shift() ?? 0);
    expect([1, 2, 3, 4, 5, 6].map(() => clock.now())).toEqual(
      [1000, 2000, 2000, 2000, 2001, 2001].map((ms) => new Date(ms).toISOString()),
    );
  });

  it('stamps each identity with its own name and the current time', () => {
    let now = 0;
    const clock = new ReceivedClock(() => now);
    const stamps = (from: string): unknown =>
      JSON.parse(`{"a":1${Buffer.from(clock.stampsFrom(from), 'latin1').toString('utf8')}`);
    expect(stamps('person/庄"\\')).toEqual({
      a: 1,
      receivedfrom: 'person/庄"\\',
      receivedtime: '1970-01-01T00:00:00.000Z',
    });
    now = 5;
    expect(stamps('person/庄"\\')).toEqual({
      a: 1,
      receivedfrom: 'person/庄"\\',
      receivedtime: '1970-01-01T00:00:00.005Z',
    });
    expect(stamps('device/b')).toEqual({
      a: 1,
      receivedfrom: 'device/b',
      receivedtime: '1970-01-01T00:00:00.005Z',
    });
  });
});

describe('the records of a request', () => {
  it('are bulk if a request has more events than people send at once, and live otherwise', () => {
    const urgencies = [1, 100, 101].map((count) => {
      const records = new TableRecords('}');
      for (let i = 0; i < count; i += 1) records.add('T', '{}');
      return records.appendings(4).map(({ urgency }) => urgency);
    });
    expect(urgencies).toEqual([['live'], ['live'], ['bulk']]);
  });

  it('never exceed the size limit, to the byte', () => {
    const records = new TableRecords('}');
    for (let i = 0; i < 3; i += 1) records.add('T', `${'x'.repeat(29_999)}}`);
    records.add('T', `${'x'.repeat(29_998)}}`);
    expect(records.appendings(1)[0]?.records.map(({ value }) => value.length)).toEqual([
      30_000, 30_000, 60_000,
    ]);
  });
});

describe('a media type', () => {
  it.each([
    ['application/cloudevents+json', 'event'],
    ['Application/CloudEvents-Batch+JSON ; charset=UTF-8', 'batch'],
    ['application/x-ndjson;a=b', 'lines'],
    ['application/cloudevents+json; charset=utf-16', undefined],
    ['application/json', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j selects the form %j', (header, form) => expect(formOf(header)).toBe(form));
});

describe('a list of faults', () => {
  it('truncates long texts, but never within a character', () => {
    const list = new FaultList();
    list.add(1, [{ pointer: `/${'x'.repeat(298)}🂡🂡`, reason: 'r'.repeat(1000) }]);
    expect(list.errors[0]?.pointer).toBe(`/${'x'.repeat(298)}…`);
    expect(list.errors[0]?.reason.length).toBe(301);
    expect(list.of(1, 'malformed')).toBe('1 of 1 event is malformed; nothing was recorded.');
  });
});
