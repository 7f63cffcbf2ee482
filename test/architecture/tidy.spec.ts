import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const text = (file: string): string => readFileSync(file, 'utf8');

interface Manifest {
  readonly overrides: Record<string, string | Record<string, string>>;
  readonly allowScripts: Record<string, boolean>;
}

describe('package.json', () => {
  const manifest = JSON.parse(text('package.json')) as Manifest;
  const page = text('docs/decisions/0011-pinned-packages-and-blocked-scripts.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const first = (line: string): string[] =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => String(name));

  it('has a reason in decision 11 for each override and each blocked script, and no reason is left over', () => {
    const overridden = Object.entries(manifest.overrides).flatMap(([name, to]) =>
      typeof to === 'string' ? [name] : Object.keys(to),
    );
    const wanted = [...overridden, ...Object.keys(manifest.allowScripts)];
    expect(rows.flatMap(first).sort()).toEqual(wanted.sort());
  });
});
