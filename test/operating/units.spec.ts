import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const GATEWAY = 'deploy/gateway/shoeprint-gateway@.service';
const UNITS = ['deploy/systemd/shoeprint@.service', GATEWAY];
const INSTALLED = '/opt/shoeprint';

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-units-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!isThere) process.stderr.write('\nNOT TESTED: units need systemd-analyze to be verified\n\n');

/** Returns what systemd says against a unit. Warnings alone do not change its exit code. */
function complaints(name: string, unit: string): string {
  const file = join(folder, name);
  writeFileSync(file, unit.replaceAll(INSTALLED, resolve('.')));
  return spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr;
}

describe.each(UNITS)('the unit %s', (path) => {
  const unit = readFileSync(path, 'utf8');

  (isThere ? it : it.skip)('is one that systemd accepts without a warning', () => {
    expect(complaints(basename(path), unit)).toBe('');
    const wrong = unit.replace('RestartSec=', 'RestatSec=');
    expect(complaints(basename(path), wrong)).toContain("Unknown key 'RestatSec'");
  });

  it('starts a program that is there, again however often it ended', () => {
    const [, program = ''] = /^ExecStart=\/opt\/shoeprint\/(\S+)/m.exec(unit) ?? [];
    expect(existsSync(program)).toBe(true);
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  });

  it('names pages that are there', () => {
    for (const [, page = ''] of unit.matchAll(/file:\/\/\/opt\/shoeprint\/(\S+)/g))
      expect({ page, isThere: existsSync(page) }).toEqual({ page, isThere: true });
  });
});

describe(`the unit ${GATEWAY}`, () => {
  /** The unit of table B07. */
  const unit = readFileSync(GATEWAY, 'utf8').replaceAll('%i', 'B07');
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('has the folder and the key that the example of a configuration names', () => {
    const { spool, api } = JSON.parse(readFileSync('examples/gateway.json', 'utf8')) as {
      readonly spool: { readonly folder: string };
      readonly api: { readonly keyFile: string };
    };
    expect(`/var/lib/${valueOf('StateDirectory')}`).toBe(spool.folder);
    const [id] = valueOf('LoadCredential').split(':');
    expect(`/run/credentials/shoeprint-gateway@B07.service/${id}`).toBe(api.keyFile);
  });

  it('runs the gateway alone, without the command line beside it', () => {
    expect(valueOf('ExecStart')).toBe(
      `${INSTALLED}/deploy/start gateway run /etc/shoeprint-gateway/B07.json`,
    );
  });

  it('is not started again with a configuration that is refused', () => {
    expect(valueOf('RestartPreventExitStatus')).toBe('2');
  });

  it('may open serial ports, as a user of its own', () => {
    expect(valueOf('User')).toBe('shoeprint-gateway');
    expect(valueOf('SupplementaryGroups')).toBe('dialout');
  });
});
