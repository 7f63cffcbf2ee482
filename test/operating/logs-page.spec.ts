import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { jsonJournal, jsonLogger } from '#server';

/**
 * A call that logs a message, alone or as a member. The page shows the values that it inserts as ….
 */
const CALL =
  /\.(log|info|warn|error|fatal)\(\s*(?:\{\s*message: )?(?:[\w.]+(?: === '\w+')? \? '([^']+)' : )?\s*(?:'([^']+)'|`([^`]+)`)/g;

const PROGRAMS = ['api', 'auditor', 'exporter', 'sealer', 'standalone'];

const sources = [...PROGRAMS.map((name) => join('apps', name)), 'libs'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\bsrc\/.*\.ts$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);
const logged = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(CALL)].flatMap(([, level, either, fixed, filled]) =>
      [
        ...(either === undefined ? [] : [either]),
        fixed ?? (filled as string).replace(/\$\{[^}]*\}/g, '…'),
      ].map((message) => `${level === 'info' ? 'log' : level} ${message}`),
    ),
  ),
);

const page = readFileSync('docs/operating/logs.md', 'utf8');
const listed = [...page.matchAll(/^\| `[^`]+` \| `([^`]+)` \| (log|warn|error|fatal) \|/gm)].map(
  ([, message, level]) => `${level} ${message}`,
);

/** Returns the lines that are written while `tell` logs something. */
function written(tell: () => void): string[] {
  const lines: string[] = [];
  const take = (text: unknown): boolean => (lines.push(String(text)), true);
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation(take),
  );
  try {
    tell();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines.join('').trim().split('\n');
}

describe('docs/operating/logs.md', () => {
  it('lists every message that the programs log, at its level, and no other', () => {
    expect([...new Set(listed)].sort()).toEqual([...logged].sort());
  });

  it('shows the form that both the api and the auditor write', () => {
    const shown = JSON.parse(/```json\n(.*)\n```/.exec(page)?.[1] as string) as Record<
      string,
      unknown
    > & { message: { message: string } };
    const shape = {
      level: expect.stringMatching(/^(log|error)$/),
      pid: process.pid,
      timestamp: expect.any(Number),
      message: { message: 'partition taken over', partition: 3 },
      context: expect.stringMatching(/^(shoeprint|auditor)$/),
    };
    const [journal, logger] = [jsonJournal('auditor'), jsonLogger('shoeprint')];
    const fields = { partition: 3 };
    const lines = written(() => {
      journal.info('partition taken over', fields);
      journal.error('partition taken over', fields);
      logger.log({ message: 'partition taken over', ...fields });
      logger.error({ message: 'partition taken over', ...fields });
    }).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).toEqual(shape);
      expect(Object.keys(line).sort()).toEqual(Object.keys(shown).sort());
    }
    expect(shown.message.message).toBe('partition taken over');
    expect(logged).toContain('log partition taken over');
  });

  it('is true of names with unseen characters, which a line has as escapes', () => {
    const fields = { table: 'B\u202e07\u0085' };
    const lines = written(() => {
      jsonJournal('auditor').info('table parked', fields);
      jsonLogger('shoeprint').log({ message: 'table parked', ...fields });
    });
    for (const line of lines) {
      expect(line).toContain(String.raw`B\u202e07\u0085`);
      expect(JSON.parse(line)).toMatchObject({ message: { message: 'table parked', ...fields } });
    }
    expect(lines).toHaveLength(2);
  });
});
