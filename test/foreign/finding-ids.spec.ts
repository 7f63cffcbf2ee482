import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, FINDING_CODES, type Finding } from '#audit';
import { audit } from '../kit/audit.js';
import { readStory } from '../kit/story.js';

const folder = new URL('../stories/', import.meta.url);
const page = readFileSync(new URL('../../docs/findings.md', import.meta.url), 'utf8');
const python = spawnSync('python3', ['--version']).status === 0;

const texts = [
  ...readdirSync(folder)
    .filter((file) => file.endsWith('.story'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8')),
  ...[...page.matchAll(/^```story\n([^]*?)^```$/gm)].map(([, story = '']) => story),
];
const stories = texts.map((text) => {
  const { events } = readStory(text, 'a story');
  return { events, findings: audit(events).findings };
});
const idsOf = (findings: readonly Finding[]): string[] => findings.map(({ id }) => id);

describe("a finding's id", () => {
  it.each(FINDING_CODES)('has the tail that docs/findings.md names for %s', (code) => {
    const entry = page.split(/^### /m).find((text) => text.startsWith(code)) ?? '';
    const [, tail = 'no line'] = /^\*Id\.\* (.*)$/m.exec(entry) ?? [];
    expect([...tail.matchAll(/`([^`]+)`/g)].map(([, field]) => field)).toEqual([
      ...CATALOGUE[code].tail,
    ]);
    expect(tail).not.toBe('no line');
  });

  it('is 32 hexadecimal digits, and no two findings of a story share one', () => {
    for (const { findings } of stories) {
      for (const id of idsOf(findings)) expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(idsOf(findings)).size).toBe(findings.length);
    }
  });

  if (!python)
    process.stderr.write('python3 is missing: nobody else makes the ids of findings here\n');
  (python ? it : it.skip)('is the one that a Python script makes of every story', () => {
    const script = fileURLToPath(new URL('finding_ids.py', import.meta.url));
    const bare = stories.map(({ events, findings }) => ({
      events,
      findings: findings.map(({ id: _, ...finding }) => finding),
    }));
    const { stdout, stderr } = spawnSync('python3', [script], {
      input: JSON.stringify({ page, stories: bare }),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(stories.map(({ findings }) => idsOf(findings)));
  });
});
