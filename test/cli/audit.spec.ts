import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TableLog } from '../kit/table.js';
import {
  audited,
  type Audited,
  built,
  file,
  lines,
  readByOneWhoLeaves,
  shoeprint,
} from './shoeprint.js';

beforeAll(built);

const CLEAN = 'examples/clean-shoe.ndjson';
const FAULTY = 'examples/faulty-shoe.ndjson';
const MALFORMED = 'examples/malformed.ndjson';
const text = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

let known: string | undefined;
/** Returns what `audit --json` prints for the example with faults. */
const faultyJson = (): string => (known ??= shoeprint(['audit', '--json', FAULTY]).stdout);
const faulty = (): Audited => JSON.parse(faultyJson()) as Audited;

/** Returns a shoe of `coups` coups, in each of which the banker hand drew on 6 against 8. */
function faultyTable(table: string, coups: number): readonly unknown[] {
  const log = new TableLog(table);
  log.shoe = `${table}-S1`;
  log.open({ reports: [] });
  for (let coup = 1; coup <= coups; coup += 1) {
    log.add('shoe', 'coup-opened', { coup });
    log.draw('P 2H B 6C P KS B KD P 8D B 4S');
    log.add('shoe', 'coup-closed');
  }
  log.add('shoe', 'shoe-closed', { reason: 'end' });
  return log.events;
}

/** Interleaves the logs of several tables, line by line. */
const inTurn = (...logs: readonly (readonly unknown[])[]): readonly unknown[] =>
  Array.from({ length: Math.max(...logs.map(({ length }) => length)) }, (_, i) =>
    logs.flatMap((log) => (i < log.length ? [log[i]] : [])),
  ).flat();

/** Spells the table's name in escapes in every other event. */
const twoSpellings = (events: readonly unknown[]): readonly string[] =>
  events.map((event, i) =>
    i % 2 ? JSON.stringify(event).replaceAll('é', '\\u00e9') : JSON.stringify(event),
  );

describe('shoeprint audit', () => {
  it('prints the same bytes with the lane as without it', () => {
    const faulty = ['--seed', '7', '--shoes', '3', '--bets', '--faults', 'TC-05'];
    const dealt = shoeprint(['simulate', ...faulty]).stdout;
    expect(dealt).toContain('bet-settled');
    const simulated = file('lanes.ndjson', dealt);
    for (const log of [CLEAN, FAULTY, simulated])
      for (const form of [[], ['--json'], ['--workers', '2']]) {
        const [on, off] = ['on', 'off'].map((LANE) =>
          shoeprint(['audit', ...form, log], { env: { LANE } }),
        );
        expect(on?.code).toBe(log === CLEAN ? 0 : 1);
        expect(on).toEqual(off);
      }
  });

  it('refuses another setting of the lane', () => {
    const { code, stderr } = shoeprint(['audit', CLEAN], { env: { LANE: 'sometimes' } });
    expect(code).toBe(2);
    expect(stderr).toContain('LANE: must be one of on, off');
  });

  it('shows the unseen characters of names as escapes, in findings and in refusals', () => {
    const log = file('unseen.ndjson', lines(faultyTable('B\u202e07\u009b', 1)));
    const { stdout, code } = shoeprint(['audit', log]);
    expect(code).toBe(1);
    expect(stdout).toContain(String.raw`Table B\u202e07\u009b  shoe B\u202e07\u009b-S1`);
    expect(stdout).not.toMatch(/[\u202e\u0080-\u009f]/);
    const [first] = faultyTable('T1', 1) as [object];
    const malformed = file('unseen-malformed.ndjson', lines([{ ...first, '\u202e': 1 }]));
    const { stderr } = shoeprint(['audit', malformed]);
    expect(stderr).toContain(String.raw`/\u202e `);
    expect(stderr).not.toContain('\u202e');
  });

  it('exits 0 for a clean shoe, 1 for one with findings, 2 for malformed input', () => {
    expect([CLEAN, FAULTY, MALFORMED].map((name) => shoeprint(['audit', name]).code)).toEqual([
      0, 1, 2,
    ]);
  });

  it("finds the dealer's faults in the example", () => {
    expect(faulty().findings.map(({ coup, code }) => `${coup ?? 'shoe'} ${code}`)).toEqual([
      '2 TC-08',
      '4 PY-03',
      '5 CM-01',
      '7 RS-01',
      '7 RS-02',
      '7 PY-02',
      '7 PY-01',
      '8 TC-03',
      '9 BT-01',
      '10 CM-03',
      'shoe CM-05',
    ]);
  });

  it('prints one object with the members of contract section 6 and no others', () => {
    const object = faulty();
    expect(Object.keys(object)).toEqual([
      'events',
      'shoes',
      'findings',
      'unjudgeable',
      'commission',
      'reviews',
    ]);
    expect(object.events).toEqual({
      read: 138,
      admitted: 138,
      duplicates: 0,
      equivocal: 0,
      late: 0,
      stray: 0,
    });
    expect(object.shoes).toEqual([
      {
        table: 'B07',
        shoe: 'B07-20261120-3',
        rules: 'punto-banco@1',
        decks: 8,
        coups: 10,
        cards: 50,
        closed: true,
      },
    ]);
    expect(object.commission.map(({ seat, due, outstanding }) => [seat, due, outstanding])).toEqual(
      [
        [3, 5003, 0],
        [5, 5650, 5650],
      ],
    );
    expect(object.unjudgeable).toEqual([]);
  });

  it('renders the coup with the wrong card marked, names the rule and its source, and shows the money', () => {
    const { stdout } = shoeprint(['audit', FAULTY]);
    expect(stdout).toContain(
      '     Banker   6♣   K♦   4♠   0\n                        ▲ TC-08 drawn, must stand',
    );
    expect(stdout).toContain('banker has 6, third card  0 1 2 3 4 5 6 7 8 9 stood');
    expect(stdout).toContain('Pennsylvania Code, title 58,');
    expect(stdout).toContain('money   100.00 USD in favor of the house');
    expect(stdout).toContain('Seat 5 still owed 56.50 USD of commission.');
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  it('describes what is prescribed after a fault, whether it was done, and what was done instead', () => {
    const log = new TableLog();
    log.open({ rules: 'nsw-crown@1', reports: [] });
    for (const [coup, to] of [
      [1, 'next'],
      [2, 'burn'],
    ] as const) {
      log.add('shoe', 'coup-opened', { coup });
      const excess = log
        .draw(coup === 1 ? 'P 9H B 6C P KS B KD - 5D' : 'B 6C P KS B KD P 3D - 4S')
        .at(-1) as string;
      log.add('person/sam', 'card-moved', {
        event: excess,
        to,
        by: 'sam',
        reason: 'one card too many',
      });
      log.add('shoe', 'coup-closed');
    }
    log.add('shoe', 'coup-opened', { coup: 3 });
    const { stdout } = shoeprint(['audit', file('nsw.ndjson', lines(log.events))]);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words.match(/to do keep the card as the first of the next coup/g)).toHaveLength(2);
    expect(words.match(/mark remedied: what the rules prescribe was done/g)).toHaveLength(1);
    expect(words).toContain(
      'PR-07 After DL-06 the rules prescribe carry-over; burn was done. due keep the card as the first of the next coup seen burn the card',
    );
  });

  it('reads gzip by the name, standard input by a dash, CRLF, empty lines and an unterminated last line', () => {
    const wanted = faultyJson();
    const crlf = text(FAULTY)
      .replaceAll('\n', '\r\n\r\n')
      .replace(/(\r\n)+$/, '');
    expect(shoeprint(['audit', '--json', file('f.ndjson.gz', gzipSync(text(FAULTY)))]).stdout).toBe(
      wanted,
    );
    expect(shoeprint(['audit', '--json', '-'], { input: text(FAULTY) }).stdout).toBe(wanted);
    expect(shoeprint(['audit', '--json', file('crlf.ndjson', crlf)]).stdout).toBe(wanted);
  });

  it('reads several files as one log, in the order of the arguments', () => {
    const all = text(FAULTY).split('\n');
    const [first, second] = [
      file('1.ndjson', all.slice(0, 70).join('\n')),
      file('2.ndjson', all.slice(70).join('\n')),
    ];
    expect(shoeprint(['audit', '--json', first, second]).stdout).toBe(faultyJson());
    expect(audited(second, first).findings).not.toEqual(faulty().findings);
  });

  it('reads the same from blocks that end anywhere in a line', () => {
    const log = file('long.ndjson', lines(faultyTable('T1', 400)));
    expect(audited(log).findings.filter(({ code }) => code === 'TC-08')).toHaveLength(400);
  });
});

describe('several tables', () => {
  const log = (): string =>
    file(
      'tables.ndjson',
      lines(
        inTurn(
          faultyTable('T1', 3),
          faultyTable('T2', 5),
          twoSpellings(faultyTable('T é"3', 2)),
          faultyTable('T4', 40).map((event) =>
            JSON.stringify(event, null, 1).replaceAll('\n', ' '),
          ),
        ),
      ),
    );

  it('are reported in the order in which their shoes were opened', () => {
    expect(audited(log()).shoes.map(({ table }) => table)).toEqual(['T1', 'T2', 'T é"3', 'T4']);
  });

  it.each([[[]], [['--json']]])(
    'produce the same bytes from two or three workers as from one (%j)',
    (form) => {
      const [one, two, three] = ['1', '2', '3'].map((count) =>
        shoeprint(['audit', ...form, '--workers', count, log()]),
      );
      expect(two).toEqual(one);
      expect(three).toEqual(one);
      expect(one?.code).toBe(1);
    },
  );

  it('are refused with the same list by two workers as by one', () => {
    const bad = file(
      'bad.ndjson',
      lines([
        ...inTurn(faultyTable('T1', 2), faultyTable('T2', 2)),
        '{"table":"T2"}',
        'no event',
        ...faultyTable('T3', 1).map((event) => JSON.stringify(event).replace('"time"', '"tiem"')),
      ]),
    );
    const [one, two] = ['1', '2'].map((count) =>
      shoeprint(['audit', '--json', '--workers', count, bad]),
    );
    expect(two).toEqual(one);
    expect(one?.code).toBe(2);
  });

  it('take no more memory for many shoes than for a few, however long the log is between them', () => {
    const log = new TableLog();
    const reason = 'x'.repeat(16_000);
    for (let shoe = 1; shoe <= 400; shoe += 1) {
      log.shoe = `S${shoe}`;
      log.open();
      for (let call = 0; call < 9; call += 1)
        log.add('person/sam', 'supervisor-called', { reason });
      log.add('shoe', 'shoe-closed', { reason: 'end', remaining: 416 });
    }
    const long = file('long.ndjson', lines(log.events));
    const { code, stdout, stderr } = shoeprint(['audit', '--json', long], {
      env: { NODE_OPTIONS: '--max-old-space-size=40' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(stdout) as Audited).shoes).toHaveLength(400);
  });

  it('keep their findings in order when these exceed the memory limit', () => {
    const many = file(
      'many.ndjson',
      lines(Array.from({ length: 25 }, (_, i) => faultyTable(`T${i}`, 450)).flat()),
    );
    const found = audited(many).findings.map(({ table, coup, code }) => `${table} ${coup} ${code}`);
    const wanted = Array.from({ length: 25 }, (_, t) =>
      Array.from({ length: 450 }, (_each, coup) => `T${t} ${coup + 1} TC-08`),
    ).flat();
    expect(found.filter((line) => line.endsWith('TC-08'))).toEqual(wanted);
    expect(found.length).toBeGreaterThan(20_000);
  });
});

describe('malformed input', () => {
  const bad = (): string => file('25.ndjson', `${text(CLEAN)}\n${'{"half":\n'.repeat(25)}`);

  it('shows twenty lines and a count in text, on standard error alone', () => {
    const { code, stdout, stderr } = shoeprint(['audit', bad()]);
    const shown = stderr.trimEnd().split('\n');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(shown.filter((line) => line.includes('is not JSON'))).toHaveLength(20);
    expect(shown[0]).toMatch(/25\.ndjson:179: is not JSON/);
    expect(shown.slice(-2)).toEqual([
      'and 5 more lines; --json lists all of them',
      'refused: 25 malformed lines; nothing was judged',
    ]);
  });

  it('lists every fault in JSON, by file, line and pointer', () => {
    const { code, stdout } = shoeprint(['audit', '--json', MALFORMED, bad()]);
    const { refused } = JSON.parse(stdout) as {
      refused: {
        malformed: number;
        faults: { file: string; line: number; pointer: string; reason: string }[];
      };
    };
    expect(code).toBe(2);
    expect(refused.malformed).toBe(31);
    expect(refused.faults).toHaveLength(33);
    expect(refused.faults.map(({ line, pointer }) => `${line}${pointer}`).slice(0, 9)).toEqual([
      '4/data/card',
      '5',
      '6/type',
      '7/time',
      '8/data/seat',
      '8/data/amount',
      '9/data/coup',
      '9/data/dealer',
      '179',
    ]);
    expect(refused.faults.at(-1)).toEqual({
      file: expect.stringMatching(/25\.ndjson$/),
      line: 203,
      pointer: '',
      reason: expect.stringMatching(/^is not JSON/),
    });
  });

  it('skips a line of megabytes without keeping it, and keeps counting', () => {
    const huge = file(
      'huge.ndjson',
      `${text(CLEAN)}${'x'.repeat(3_000_000)}\r\nno event\n${'y'.repeat(500_000)}`,
    );
    const { stderr } = shoeprint(['audit', huge]);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^.*huge/, 'huge').replace(/(not JSON).*/, '$1')),
    ).toEqual([
      'huge.ndjson:178: is over 16384 bytes',
      'huge.ndjson:179: is not JSON',
      'huge.ndjson:180: is over 16384 bytes',
      'refused: 3 malformed lines; nothing was judged',
    ]);
  });

  it.each([
    ['a missing file', () => 'no-such-file.ndjson', 'shoeprint: no-such-file.ndjson: no such file'],
    ['a folder', () => 'examples', 'shoeprint: examples: is a folder, not a file'],
    [
      'a broken gzip',
      () => file('broken.ndjson.gz', gzipSync(text(CLEAN)).subarray(0, 900)),
      'not a complete gzip file (unexpected end of file)',
    ],
    [
      'gzip under another name',
      () => file('packed.ndjson', gzipSync(text(CLEAN))),
      'this file is gzip, but its name does not end in .gz',
    ],
    ['an empty name', () => '', 'shoeprint: the name of a file is empty'],
    [
      'a file that is not gzip',
      () => file('plain.ndjson.gz', text(CLEAN)),
      'not a complete gzip file (incorrect header check)',
    ],
  ])('explains what is wrong with %s, and exits 2', (_, name, wanted) => {
    const { code, stdout, stderr } = shoeprint(['audit', name()]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(wanted);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('the output of shoeprint audit', () => {
  it('has no colors if it is not a terminal or NO_COLOR is set, and has them when forced', () => {
    const coloured = (env: NodeJS.ProcessEnv): boolean =>
      shoeprint(['audit', FAULTY], { env }).stdout.includes('\u001b[');
    expect([
      coloured({}),
      coloured({ CI: 'true' }),
      coloured({ FORCE_COLOR: '1' }),
      coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }),
    ]).toEqual([false, false, true, false]);
  });

  it('ends quietly when its reader leaves, with the exit code reached by then', async () => {
    const many = file('head.ndjson', lines(faultyTable('T1', 3000)));
    expect(await readByOneWhoLeaves(['audit', many])).toEqual({ code: 1, stderr: '' });
  });
});
