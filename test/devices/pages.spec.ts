import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CARDS } from '#baccarat';
import {
  angelEye,
  encodeAngelEye,
  encodeLine1,
  LINE1_BYTES_MAX,
  parseLine,
  type Line1,
} from '#devices';
import { anyReported } from './any-line.js';
import { around, bytesOf, heard } from './bytes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'docs', 'devices');
const page = (name: string): string => readFileSync(join(folder, name), 'utf8');
const ANGEL_EYE = page('angel-eye-ii-ex.md');
const LINE = page('line-protocol-1.md');

/** Returns the cells of each row of a page's tables. */
const rows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));

describe('docs/devices', () => {
  it('is linked from the first page, and links to files that exist', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/devices/README.md)');
    const names = readdirSync(folder);
    expect(names.sort()).toEqual(['README.md', 'angel-eye-ii-ex.md', 'line-protocol-1.md']);
    const links = names.flatMap((name) =>
      [...page(name).matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link as string),
    );
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  });

  it('claims no compatibility with a brand', () => {
    for (const name of readdirSync(folder))
      expect(page(name)).not.toMatch(/compatible|certified|supports? (the )?Angel/i);
  });
});

describe('the page of angel-eye-ii-ex', () => {
  const frames = rows(ANGEL_EYE).flatMap(([bytes = '', , becomes = '']) =>
    /^`05 /.test(bytes) ? [[bytes.slice(1, -1), becomes] as const] : [],
  );

  it('has an example of every kind of report whose bytes are known', () => {
    expect(frames.length).toBeGreaterThanOrEqual(12);
    expect(new Set(frames.map(([bytes]) => bytes.slice(6, 8))).size).toBe(8);
  });

  it.each(frames)('says what becomes of %s', (bytes, becomes) => {
    const decoder = angelEye({ sequence: 'unknown', bcc: 'from-sequence', pairs: false });
    const first = encodeAngelEye(
      { is: 'card', to: 'player', index: 1, card: 'AS' },
      { sequence: '0', bcc: 'from-sequence' },
    );
    const found = heard(decoder, [
      [first, 0],
      [bytesOf(bytes), 5],
    ]).all.filter(({ kind, up }) => up === 5 && kind !== 'coup-begins');
    expect(found).toHaveLength(1);
    for (const each of found) {
      if (each.kind === 'started') expect(becomes).toContain('session ends');
      else if (each.kind === 'report')
        for (const { type, data } of each.fields.events) {
          expect(becomes).toContain(type);
          if (type === 'card-drawn') expect(becomes).toContain(`\`${data.card}\` to ${data.to}`);
          if (type === 'device-error') expect(becomes).toContain(`\`${data.code}\``);
          if (type === 'device-setting-changed') expect(becomes).toContain(`\`${data.code}\``);
        }
      else throw new Error(`${bytes} is ${each.kind}`);
    }
  });

  it('has the cards of the game under its numbers', () => {
    const decoder = angelEye({ sequence: 'unknown', bcc: 'from-sequence', pairs: false });
    const suits = ['D', 'C', 'S', 'H'];
    const names = suits.flatMap((suit, at) =>
      [...'A23456789TJQK'].map((rank, number): readonly [string, number] => [
        `${rank}${suit}`,
        0x80 | ((at + 1) << 4) | (number + 1),
      ]),
    );
    expect(names.map(([name]) => name).sort()).toEqual([...CARDS].sort());
    for (const [name, byte] of names) {
      const report = { is: 'other', letter: 'D', payload: [0x81, byte] } as const;
      const frame = encodeAngelEye(report, { sequence: '1', bcc: 'from-sequence' });
      expect(heard(decoder, [[frame, 0]]).all.at(-1)?.fields).toMatchObject({
        events: [{ type: 'card-drawn', data: { card: name, to: 'player' } }],
      });
    }
  });
});

describe('the page of line protocol 1', () => {
  const block = (language: string): string =>
    new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(LINE)?.[1] ?? '';

  it('has an example of lines that are read', () => {
    const example = /## Example\n\n```\n([^]*?)```/.exec(LINE)?.[1] ?? '';
    const lines = example.trimEnd().split('\n');
    expect(lines).toHaveLength(13);
    for (const line of lines) expect(parseLine(line.split('  ')[0] ?? '').is).toBe('line');
  });

  it('says how each error is refused', () => {
    const errors = rows(LINE.slice(LINE.indexOf('## Errors'), LINE.indexOf('## Example'))).slice(1);
    expect(errors.length).toBeGreaterThan(10);
    for (const [body = '', problem] of errors.filter(([first]) => first?.startsWith('`')))
      expect(parseLine(around(body.slice(1, -1)))).toMatchObject({ is: 'malformed', problem });
  });

  it('lists every code with its event', () => {
    const codes = new Map(
      rows(LINE).flatMap(([fields = '', becomes = '']) => {
        const code = /^`([A-Z]{2})[,`]/.exec(fields)?.[1];
        return code === undefined ? [] : [[code, becomes] as const];
      }),
    );
    const seen = new Set<string>();
    for (const event of fc.sample(anyReported, { numRuns: 1000, seed: 1 })) {
      const line: Line1 = { type: 'E', boot: 1, seq: 1, ms: 0, event };
      const code = encodeLine1(line).split(/[,*]/)[4] ?? '';
      seen.add(code);
      expect(codes.get(code)).toMatch(`\`${event.type}\``);
    }
    expect([...codes.keys()].sort()).toEqual([...seen].sort());
  });

  it('says in its grammar which characters may stand in a field', () => {
    const rule = /^field {2}= (.*?);/m.exec(block('abnf'))?.[1] ?? '';
    const ranges = [...rule.matchAll(/%x([0-9A-F]{2})(?:-([0-9A-F]{2}))?/g)].map(
      ([, from = '', to = from]) => [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const,
    );
    expect(ranges).toHaveLength(4);
    for (let code = 0; code < 128; code += 1) {
      const isAllowed = ranges.some(([from, to]) => from <= code && code <= to);
      const parsed = parseLine(around(`E,1,1,0,CV,a${String.fromCharCode(code)}b`));
      expect({ code, is: parsed.is === 'line' }).toEqual({ code, is: isAllowed });
    }
  });

  it('says how long a line may be', () => {
    expect(block('abnf')).toContain(`at most ${LINE1_BYTES_MAX} bytes with its end`);
  });
});
