import { describe, expect, it } from '@jest/globals';
import {
  belongs,
  countQuery,
  hasNothingToTake,
  isOverdue,
  listQuery,
  takeQuery,
  toggled,
  unknownIn,
} from '../../apps/console/src/queue/filter/filter.js';
import {
  type Page,
  PAGE_ROWS,
  placeAtTop,
  QueueRows,
} from '../../apps/console/src/queue/list/rows.js';

type Finding = Page['lines'][number];
/** The rows that are there before more are asked for. */
const FIRST = 50;
const READ_AT = Date.parse('2026-11-22T12:00:00.000Z');

/** A finding of severity and number; higher numbers were raised later. */
function finding(severity: 1 | 2 | 3 | 4, number: number, more: object = {}): Finding {
  return {
    id: `${severity}-${String(number).padStart(6, '0')}`,
    ...{ code: 'TC-08', severity, table: 'B01', shoe: 'S1', coup: 36, dealer: 'dora' },
    ...{ coupRef: null, shoeRef: null, status: 'standing', gamingDay: '2026-11-22' },
    videoHeldUntil: null,
    at: '2026-11-22T11:00:00.000Z',
    raisedAt: new Date(READ_AT - 86_400_000 + number).toISOString(),
    review: {
      ...{ state: 'open', claim: null, proposal: null, ruling: null, escalated: null },
      ...{ stale: false, regressed: false, touched: false, lapsed: false, counts: true },
      evidence: null,
    },
    ...more,
  } as unknown as Finding;
}

const ruled = (one: Finding): Finding => ({ ...one, review: { ...one.review, state: 'ruled' } });

/** A list that answers like the server: pages after a cursor, of what is in it at that time. */
class List {
  lines: Finding[] = [];
  reads = 0;

  readonly read = (cursor: string | null, limit: number): Promise<Page> => {
    this.reads += 1;
    const from = cursor === null ? 0 : this.lines.findIndex(({ id }) => id > cursor);
    const lines = from < 0 ? [] : this.lines.slice(from, from + limit);
    const isLast = from < 0 || from + limit >= this.lines.length;
    return Promise.resolve({
      lines,
      next: isLast ? null : (lines.at(-1)?.id ?? null),
      at: READ_AT,
      positions: '0:7,1:3',
    });
  };
}

async function opened(count: number): Promise<{ list: List; rows: QueueRows }> {
  const list = new List();
  list.lines = Array.from({ length: count }, (_, at) => finding(2, at));
  return { list, rows: await QueueRows.open(list.read, 'queue') };
}

const idsOf = (rows: QueueRows): (string | undefined)[] =>
  Array.from({ length: rows.length }, (_, place) => rows.at(place)?.id);

describe('the rows of a queue', () => {
  it('change in place and keep their places, also once they are ruled', async () => {
    const { list, rows } = await opened(3);
    const before = idsOf(rows);
    rows.change(ruled(list.lines[1] as Finding), false);
    expect(idsOf(rows)).toEqual(before);
    expect(rows.at(1)?.review.state).toBe('ruled');
    expect(rows.arrivals).toEqual([]);
  });

  it('count what arrives and show it on demand only', async () => {
    const { list, rows } = await opened(3);
    const graver = finding(1, 9);
    list.lines.unshift(graver);
    rows.change(graver, true);
    expect([rows.length, rows.arrivals]).toEqual([3, [1]]);
    await rows.show();
    expect([rows.at(0)?.id, rows.length, rows.arrivals]).toEqual([graver.id, 4, []]);
  });

  it('do not count an arrival that has left the queue again', async () => {
    const { rows } = await opened(3);
    const graver = finding(1, 9);
    rows.change(graver, true);
    rows.change(ruled(graver), false);
    expect(rows.arrivals).toEqual([]);
  });

  it('do not count as new what has not been read yet', async () => {
    const { list, rows } = await opened(500);
    rows.change(list.lines[450] as Finding, true);
    expect(rows.arrivals).toEqual([]);
    const fresh = finding(4, 1, { raisedAt: new Date(READ_AT + 1).toISOString() });
    rows.change(fresh, true);
    expect(rows.arrivals).toEqual([4]);
  });

  it('read all pages once, without a row twice', async () => {
    const { list, rows } = await opened(FIRST + 4 * PAGE_ROWS);
    while (!rows.isWhole) await Promise.all([rows.more(), rows.more()]);
    expect(idsOf(rows)).toEqual(list.lines.map(({ id }) => id));
    expect(list.reads).toBe(5);
  });

  it('find the row that has the focus again, wherever it went', async () => {
    const { list, rows } = await opened(900);
    while (!rows.isWhole) await rows.more();
    const focus = idsOf(rows)[800];
    rows.remember({ id: focus });
    list.lines.unshift(...Array.from({ length: 300 }, (_, at) => finding(1, at)));
    await rows.show();
    expect(rows.placeOf(focus)).toBe(1_100);
  });

  it('are compared with the list without moving: changes in place, arrivals counted, and what left read by itself', async () => {
    const { list, rows } = await opened(3);
    const before = idsOf(rows);
    const [first, second, third] = list.lines as [Finding, Finding, Finding];
    const arrived = finding(1, 8);
    rows.change(arrived, true);
    const graver = finding(1, 9);
    const claimed = { ...third, review: { ...third.review, claim: { by: 'pia' } } } as Finding;
    list.lines = [graver, second, claimed];
    const asked: string[] = [];
    await rows.compare(async (id) => {
      asked.push(id);
      return ruled(first);
    });
    expect([idsOf(rows), asked, rows.arrivals]).toEqual([before, [first.id], [1]]);
    expect([0, 1, 2].map((place) => rows.at(place)?.review.state)).toEqual([
      ...['ruled', 'open', 'open'],
    ]);
    expect(rows.at(2)?.review.claim?.by).toBe('pia');
    await rows.show();
    expect(idsOf(rows)).toEqual([graver.id, second.id, claimed.id]);
  });

  it('stay where they are beyond what was compared, and are not read by themselves', async () => {
    const { list, rows } = await opened(6_000);
    while (!rows.isWhole) await rows.more();
    list.lines = list.lines.filter((_, at) => at !== 10 && at !== 5_990);
    const asked: string[] = [];
    await rows.compare(async (id) => void asked.push(id));
    expect([rows.length, asked]).toEqual([6_000, [idsOf(rows)[10]]]);
  });

  it('keep a change that came while its page was being read', async () => {
    const { list, rows } = await opened(FIRST + PAGE_ROWS);
    const last = list.lines.at(-1) as Finding;
    const reading = rows.more();
    rows.change(ruled(last), false);
    await reading;
    expect(rows.at(FIRST + PAGE_ROWS - 1)?.review.state).toBe('ruled');
  });

  it('are shown once more where somebody asks for that while two others read them', async () => {
    const { list, rows } = await opened(FIRST * 4);
    list.lines.unshift(finding(1, 1));
    const reading = rows.more();
    await Promise.all([reading, rows.compare(async () => undefined), rows.show()]);
    expect(rows.at(0)?.id).toBe('1-000001');
  });

  it('keep what is there and say why, where a page cannot be read', async () => {
    const { list, rows } = await opened(FIRST + PAGE_ROWS);
    const away = new Error('away');
    const { lines } = list;
    Object.defineProperty(list, 'lines', {
      get: () => {
        throw away;
      },
      configurable: true,
    });
    await rows.more().catch(() => undefined);
    expect([rows.length, rows.error]).toEqual([FIRST, away]);
    Object.defineProperty(list, 'lines', { value: lines });
    await rows.more();
    expect([rows.length, rows.error]).toEqual([FIRST + PAGE_ROWS, undefined]);
  });
});

describe('the place of a person in the queue', () => {
  it('is found again when the rows are read from the beginning', async () => {
    const { list, rows } = await opened(900);
    while (!rows.isWhole) await rows.more();
    const kept = placeAtTop();
    const first = await QueueRows.open(list.read, 'queue', kept);
    while (!first.isWhole) await first.more();
    first.remember({ id: list.lines[700]?.id, top: 4_000 });
    const again = await QueueRows.open(list.read, 'queue', kept);
    expect([again.placeOf(list.lines[700]?.id), again.place.top]).toEqual([700, 4_000]);
  });

  it('is that of the next finding where its finding has left the list', async () => {
    const { list, rows } = await opened(4_000);
    while (rows.length < 500) await rows.more();
    const gone = list.lines[300] as Finding;
    rows.remember({ id: gone.id });
    list.lines = list.lines.filter(({ id }) => id !== gone.id);
    list.reads = 0;
    await rows.show();
    expect([rows.placeOf(gone.id), rows.placeAfterFocus(), list.reads]).toEqual([-1, 300, 1]);
  });
});

describe('the rows of each order', () => {
  const [late, soon] = ['2026-11-22T11:30:00.000Z', '2026-11-22T10:30:00.000Z'];

  it.each([
    ['queue', { raisedAt: '2026-11-20T00:00:00.000Z' }, [2]],
    ['queue', { severity: 3 }, []],
    ['newest', { at: late, severity: 4 }, [4]],
    ['newest', { at: soon, severity: 1 }, []],
    ['newest', { at: soon, gamingDay: '2026-11-23' }, [2]],
    ['worst', { at: soon, severity: 1 }, [1]],
    ['worst', { at: late }, [2]],
    ['worst', { at: soon }, []],
  ] as const)('%s: count %j that is open again, unless reading on reaches it', async (...row) => {
    const [order, more, expected] = row;
    const { list } = await opened(300);
    const rows = await QueueRows.open(list.read, order);
    rows.change(finding(2, 250, { id: 'again', ...more }), true);
    expect(rows.arrivals).toEqual(expected);
  });

  it('know whether they include some positions of the log', async () => {
    const { rows } = await opened(1);
    expect(['0:7,1:3', '0:6', '', '0:7,1:4', '2:1'].map((at) => rows.includes(at))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
  });
});

describe('rows that could not be read', () => {
  it('are read again from the beginning, where that had failed', async () => {
    const { list, rows } = await opened(3);
    const graver = finding(1, 9);
    rows.change(graver, true);
    const { lines } = list;
    Object.defineProperty(list, 'lines', {
      get: () => {
        throw new Error('away');
      },
      configurable: true,
    });
    await rows.show();
    expect([rows.error, rows.arrivals]).toEqual([new Error('away'), [1]]);
    Object.defineProperty(list, 'lines', { value: [graver, ...lines] });
    await rows.tryAgain();
    expect([rows.length, rows.error, rows.arrivals]).toEqual([4, undefined, []]);
  });
});

describe('the filter of a queue', () => {
  const due = { 1: 60, 2: 60, 3: 60, 4: 60 };
  const nobody = {
    person: 'pia',
    policy: { due, video: { kept: 7 * 86_400, before: 30, after: 60 } },
  };
  const hours = (n: number): string => new Date(Date.now() + n * 3_600_000).toISOString();
  const one = finding(2, 1);
  const old = { ...one, at: hours(-6.5 * 24) };
  const claimed = {
    ...one,
    review: { ...one.review, claim: { by: 'pia', until: '2026-11-22T13:00:00.000Z' } },
  };

  it.each([
    [{}, one, true],
    [{}, ruled(one), false],
    [{ review: 'ruled' }, ruled(one), true],
    [{}, { ...one, status: 'withdrawn' }, false],
    [{ severity: '1,2' }, one, true],
    [{ severity: '1,3' }, one, false],
    [{ table: 'B0' }, one, false],
    [{ mine: 'true' }, one, false],
    [{ mine: 'true' }, claimed, true],
    [{ mine: 'false' }, claimed, false],
    [{ q: 'tc- 36' }, one, true],
    [{ q: 'DORA s1' }, one, true],
    [{ q: 'tc- 37' }, one, false],
    [{ overdue: 'true' }, one, true],
    [{ escalated: 'true' }, one, false],
    [{ from: '2026-11-23' }, one, false],
    [{ regressed: 'true' }, one, false],
    [{ regressed: 'true' }, { ...one, review: { ...one.review, regressed: true } }, true],
    [{ dealer: '-' }, one, false],
    [{ dealer: '-' }, { ...one, dealer: null }, true],
    [{ videoHours: '24' }, old, true],
    [{ videoHours: '11' }, old, false],
    [{ videoHours: '24' }, { ...old, videoHeldUntil: hours(25) }, false],
    [{ videoHours: '24' }, { ...old, at: hours(-7.1 * 24) }, false],
    [{ videoHours: '24' }, { ...old, at: hours(-7.1 * 24), videoHeldUntil: hours(2) }, true],
  ] as const)('%j has %#', (filter, changed, expected) => {
    expect(belongs(changed as Finding, filter, nobody)).toBe(expected);
  });

  it('calls overdue what waits for longer than its severity may', () => {
    const now = Date.parse(one.raisedAt ?? '') + 60_000;
    expect(isOverdue(one, due, now)).toBe(false);
    expect(isOverdue(one, due, now + 1)).toBe(true);
    expect(isOverdue(ruled(one), due, now + 1)).toBe(false);
  });

  it('adds a value to a list, and takes it away again', () => {
    expect(toggled({ severity: '2' }, 'severity', '1')).toEqual({ severity: '1,2' });
    expect(toggled({ severity: '1,2' }, 'severity', '1')).toEqual({ severity: '2' });
  });

  it('knows the names that it does not have', () => {
    expect(unknownIn({ severity: '1', view: 'x', sevrity: '1' })).toEqual(['sevrity']);
  });

  it('asks for an order where findings are listed, and not where they are counted', () => {
    const filter = { table: 'B01', order: 'worst' };
    expect([listQuery({}).order, listQuery(filter).order]).toEqual(['queue', 'worst']);
    expect(countQuery(filter)).not.toHaveProperty('order');
  });

  it.each([
    [{}, false],
    [{ review: 'open,proposed', mine: 'false', lapsed: 'false', status: 'all' }, false],
    [{ review: 'proposed', mine: 'false' }, true],
    [{ mine: 'true' }, true],
    [{ lapsed: 'true' }, true],
    [{ disposition: 'duplicate' }, true],
    [{ status: 'withdrawn' }, true],
  ] as const)('says of %j whether it has nothing to take: %s', (filter, expected) => {
    expect(hasNothingToTake(filter)).toBe(expected);
  });

  it('leaves to the server what can be taken', () => {
    expect(takeQuery({ table: 'B01', review: 'open', mine: 'true', order: 'worst' })).toEqual({
      table: 'B01',
    });
    expect(takeQuery({ dealer: '-', videoHours: '24', regressed: 'true' })).toEqual({
      ...{ dealer: '', videoHours: '24', regressed: 'true' },
    });
  });
});
