import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { secretNames, settingNames } from './setting-names.js';

const LINES = readFileSync('.env.example', 'utf8').split('\n');
const ASSIGNMENT = /^#?([A-Z][A-Z0-9_]*)=(.*)$/;
const assigned = LINES.flatMap((line) => ASSIGNMENT.exec(line)?.[1] ?? []);

/** Returns the comments above an assignment, up to the blank line before. */
function notesOf(name: string): string {
  const at = LINES.findIndex((line) => ASSIGNMENT.exec(line)?.[1] === name);
  return LINES.slice(LINES.lastIndexOf('', at) + 1, at).join('\n');
}

describe('.env.example', () => {
  it('names every variable that the settings read, and no other, each once', () => {
    expect([...assigned].sort()).toEqual(
      [...settingNames()].filter((name) => !name.endsWith('_FILE')).sort(),
    );
  });

  it('names the program that reads each variable, and its default or that it is an example', () => {
    for (const name of assigned) {
      const notes = notesOf(name);
      expect({ name, notes }).toEqual({
        name,
        notes: expect.stringMatching(/^# {3}(api|auditor|sealer|standalone)/m),
      });
      if (name !== 'DATABASE_URL')
        expect({ name, notes }).toEqual({ name, notes: expect.stringMatching(/default|example/) });
    }
  });

  it('notes for every secret that a file may hold it', () => {
    const secrets = secretNames();
    expect(secrets.size).toBeGreaterThan(0);
    for (const name of secrets)
      expect(notesOf(name)).toMatch(new RegExp(`\\bor ${name}_FILE\\b`, 'i'));
  });
});
