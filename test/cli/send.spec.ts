import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#event-log';
import { simulate } from '#audit';
import { startApi, type TestApi } from '../kit/api.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { built, file, shoeprintBeside, type Ran } from './shoeprint.js';

const PARTITIONS = 3;
let log: MemoryLog;
let api: TestApi;
let url: string;
let key: string;

beforeAll(async () => {
  built();
  log = new MemoryLog({ partitions: PARTITIONS });
  api = await startApi({ log });
  url = await api.url();
  key = await api.device();
});
afterAll(async () => {
  await api.close();
  await log.close();
});

let names = 0;
let table = '';
beforeEach(() => {
  names += 1;
  table = `S${names}`;
});

const shoes = (count = 1): string[] => [
  ...simulate({
    rules: BOOK.get('punto-banco@1') as never,
    seed: `send ${table}`,
    shoes: count,
    table,
    bets: true,
  }).lines,
];
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const send = (path: string, env: NodeJS.ProcessEnv = {}, ...more: string[]): Promise<Ran> =>
  shoeprintBeside(['send', path, '--url', url, ...more], { SHOEPRINT_KEY: key, ...env });

/** Returns the contents on the log for this test's table, without their stamps. */
async function recorded(): Promise<string[]> {
  const lines: string[] = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (let at = 0; at < (await log.head(partition));) {
      const records = await log.read(partition, at);
      for (const { key: of, value } of records)
        if (of === table) lines.push(...Buffer.from(value).toString('utf8').split('\n'));
      at += records.length;
    }
  }
  return lines.map((line) => line.replace(/,"receivedfrom":.*$/, '}'));
}

describe('shoeprint send', () => {
  it('delivers every line of a file in order, and prints how many', async () => {
    const lines = shoes();
    const path = file(`${table}.ndjson`, text(lines));
    expect(await send(path)).toEqual({
      code: 0,
      stderr: '',
      stdout: `${lines.length.toLocaleString('en')} events sent to ${url}/\n`,
    });
    expect(await recorded()).toEqual(lines);
  });

  it('accepts compressed files, and empty lines between events', async () => {
    const lines = shoes();
    const path = file(`${table}.ndjson.gz`, gzipSync(lines.join('\r\n\n')));
    expect((await send(path)).code).toBe(0);
    expect(await recorded()).toEqual(lines);
  });

  it('sends nothing twice, and only the new lines of a file that has grown', async () => {
    const lines = shoes(2);
    const path = file(`${table}.ndjson`, text(lines.slice(0, 500)));
    await send(path);
    expect((await send(path)).stdout).toBe(`0 events sent to ${url}/; 500 had been sent before\n`);
    appendFileSync(path, text(lines.slice(500)));
    expect((await send(path)).code).toBe(0);
    expect(await recorded()).toEqual(lines);
  });

  it('resumes after an interruption instead of starting over', async () => {
    const lines = shoes(14);
    const path = file(`${table}.ndjson`, text(lines));
    // The log takes only the first request: the sender gives up, and is started again once the log
    // works.
    let sends = 0;
    log.faults.beforeSend = async () => {
      sends += 1;
      log.faults.failBefore = existsSync(`${path}.sent`);
    };
    const cut = await send(path, {}, '--patience', '0');
    delete log.faults.beforeSend;
    log.faults.failBefore = false;
    expect([cut.code, cut.stderr, sends]).toEqual([
      2,
      expect.stringMatching(/gave up after 0 s\. The same command resumes from there/),
      expect.any(Number),
    ]);
    const { lines: before } = JSON.parse(readFileSync(`${path}.sent`, 'utf8')) as { lines: number };
    expect(before).toBeGreaterThan(0);
    expect(await send(path)).toMatchObject({
      code: 0,
      stdout: `${(lines.length - before).toLocaleString('en')} events sent to ${url}/; ${before} had been sent before\n`,
    });
    expect(await recorded()).toEqual(lines);
  });

  it('waits for a log that takes nothing, reports it once, and continues when it recovers', async () => {
    const lines = shoes();
    const path = file(`${table}.ndjson`, text(lines));
    let refused = 0;
    log.faults.beforeSend = async () => void (refused += 1);
    log.faults.failBefore = true;
    const sending = send(path);
    await eventually('two refused appends', () => refused > 1);
    log.faults.failBefore = false;
    const { code, stderr } = await sending;
    delete log.faults.beforeSend;
    expect([code, stderr.trim().split('\n').length]).toEqual([0, 1]);
    expect(stderr).toMatch(/retrying/);
    expect(await recorded()).toEqual(lines);
  });

  it('sends again what may not have been recorded, so that nothing is lost', async () => {
    const lines = shoes();
    const path = file(`${table}.ndjson`, text(lines));
    let answers = 0;
    log.faults.beforeSend = async () => {
      answers += 1;
      log.faults.failAfter = answers === 1;
    };
    const { code } = await send(path);
    delete log.faults.beforeSend;
    log.faults.failAfter = false;
    expect(code).toBe(0);
    // Twice in the log; admission takes them once.
    expect(await recorded()).toEqual([...lines, ...lines]);
  });

  it('sends nothing of a file with a malformed line, and names the line', async () => {
    const path = file(`${table}.ndjson`, text([...shoes().slice(0, 20), '{"no":"event"}']));
    const { code, stderr } = await send(path);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${table}\\.ndjson:21: `));
    expect(stderr).toMatch(/nothing was sent/);
    expect(await recorded()).toEqual([]);
  });

  it('refuses another file under the name of one partly sent', async () => {
    const path = file(`${table}.ndjson`, text(shoes()));
    await send(path);
    writeFileSync(path, text(shoes(2).slice(1)));
    const { code, stderr } = await send(path);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/is not the file whose first .* lines were sent; remove .*\.sent/),
    ]);
  });

  it('is refused with an unknown key, and without a key', async () => {
    const path = file(`${table}.ndjson`, text(shoes()));
    expect(await send(path, { SHOEPRINT_KEY: 'spk_0123456789abcdef_no' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the device key is unknown or revoked/) as unknown,
    });
    expect(await send(path, { SHOEPRINT_KEY: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no device key/) as unknown,
    });
  });

  it("prints the server's refusal of what its key may not write", async () => {
    const path = file(`${table}.ndjson`, text(shoes()));
    const { code, stderr } = await send(path, {
      SHOEPRINT_KEY: await api.device({ sources: ['device/elsewhere'] }),
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/source|not/)]);
    expect(await recorded()).toEqual([]);
  });

  it('reads its key from a file', async () => {
    const path = file(`${table}.ndjson`, text(shoes()));
    const secret = file(`${table}.key`, `${key}\n`);
    expect((await send(path, { SHOEPRINT_KEY: '' }, '--key-file', secret)).code).toBe(0);
  });
});
