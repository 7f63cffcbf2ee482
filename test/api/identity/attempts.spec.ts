import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Environment, SettingsRefused } from '#process';
import { HashTurns } from '../../../apps/api/src/identity/credentials/hash-turns.js';
import {
  addressShown,
  countedAddress,
} from '../../../apps/api/src/identity/sessions/client-address.js';
import { RecentFailures } from '../../../apps/api/src/identity/sessions/recent-failures.js';
import { proxyTrust, type ProxyTrust } from '../../../apps/api/src/settings/proxy-settings.js';

describe('the address under which attempts count', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['203.0.113.9:41234', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', '(unreadable)'],
    ['203.0.113.9, 10.0.0.1', '(unreadable)'],
    ['0x7f.1', '(unreadable)'],
    ['', '(unreadable)'],
  ])('of %s is %s', (text, counted) => {
    expect(countedAddress(text)).toBe(counted);
  });

  it('is the same for all addresses of one /64, and short for any text', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.string(), (address, text) => {
        expect(countedAddress(address).length).toBeLessThanOrEqual(24);
        expect(countedAddress(text).length).toBeLessThanOrEqual(24);
      }),
    );
  });
});

describe('the address that the record and the log show', () => {
  it.each([
    ['203.0.113.9:41234', '203.0.113.9'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    [`fe80::1%${'x'.repeat(16_000)}`, '(unreadable)'],
    ['x'.repeat(16_000), '(unreadable)'],
  ])('of %.30s is %s', (text, shown) => {
    expect(addressShown(text)).toBe(shown);
  });
});

describe('failures that count for a while', () => {
  it('count under each key until they are old or taken back, and then leave nothing behind', () => {
    let now = 0;
    const failures = new RecentFailures(60_000, () => now);
    const takeBack = failures.add(['name a', 'address x']);
    now = 1;
    failures.add(['name a', 'address y']);
    expect([failures.count('name a'), failures.count('address x')]).toEqual([2, 1]);
    takeBack();
    takeBack();
    expect([failures.count('name a'), failures.count('address x')]).toEqual([1, 0]);
    now = 60_000;
    expect(failures.count('name a')).toBe(1);
    now = 60_001;
    expect(failures.count('name a')).toBe(0);
    expect(JSON.stringify(Object.values(failures).map((part: unknown) => part))).not.toMatch(
      /name|address/,
    );
    for (const part of Object.values(failures))
      if (part instanceof Map || part instanceof Set) expect(part.size).toBe(0);
  });
});

/** Work that ends when the test says so. */
class Held {
  readonly ran: string[] = [];
  private readonly ends: (() => void)[] = [];

  readonly work = (name: string) => (): Promise<string> =>
    new Promise((resolve) => {
      this.ran.push(name);
      this.ends.push(() => resolve(name));
    });

  endNext(): void {
    this.ends.shift()?.();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const problemOf = (error: unknown): unknown => (error as { problem?: string }).problem;

describe('turns for hashing', () => {
  it('run two at once, one of them for strangers, and known people first', async () => {
    const [turns, held] = [new HashTurns(), new Held()];
    const run = (lane: 'known' | 'stranger', name: string): void =>
      void turns.run(lane, name, held.work(name));
    for (const name of ['s1', 's2']) run('stranger', name);
    for (const name of ['k1', 'k2', 'k3']) run('known', name);
    await settled();
    expect(held.ran).toEqual(['s1', 'k1']);
    held.endNext();
    await settled();
    expect(held.ran).toEqual(['s1', 'k1', 'k2']);
    held.endNext();
    await settled();
    held.endNext();
    await settled();
    expect(held.ran).toEqual(['s1', 'k1', 'k2', 'k3', 's2']);
  });

  it('let at most sixteen strangers wait, and refuse the others at once', async () => {
    const [turns, held] = [new HashTurns(), new Held()];
    const asked = Array.from({ length: 30 }, (_, i) =>
      turns.run('stranger', `address-${i}`, held.work(String(i))).catch(problemOf),
    );
    await settled();
    const refused = await Promise.all(asked.slice(17));
    expect(refused).toEqual(refused.map(() => 'too-many-sign-ins'));
    for (let i = 0; i < 17; i += 1) {
      held.endNext();
      await settled();
    }
    expect(await Promise.all(asked.slice(0, 17))).toEqual(
      Array.from({ length: 17 }, (_, i) => String(i)),
    );
  });

  it('give the place of the address with most of them to another address', async () => {
    const [turns, held] = [new HashTurns(), new Held()];
    const flood = Array.from({ length: 17 }, (_, i) =>
      turns.run('stranger', 'flood', held.work(`flood-${i}`)).catch(problemOf),
    );
    const other = turns.run('stranger', 'other', held.work('other'));
    expect(await flood[16]).toBe('too-many-sign-ins');
    for (let i = 0; i < 17; i += 1) {
      held.endNext();
      await settled();
    }
    expect(await other).toBe('other');
  });

  it('go on after work that fails', async () => {
    const turns = new HashTurns();
    const fails = (): Promise<never> => Promise.reject(new Error('no database'));
    await expect(turns.run('stranger', 'a', fails)).rejects.toThrow('no database');
    expect(await turns.run('stranger', 'a', async () => 'ran')).toBe('ran');
  });
});

describe('SHOEPRINT_TRUST_PROXY', () => {
  const read = (text: string): ProxyTrust => {
    const env = new Environment({ SHOEPRINT_TRUST_PROXY: text });
    const trust = proxyTrust(env);
    env.check();
    return trust;
  };

  it('is a number of proxies, or addresses and networks', () => {
    expect(read('')).toBeUndefined();
    expect(read('2')).toBe(2);
    expect(read('10.0.0.0/8, fd00::/8,192.0.2.1')).toEqual(['10.0.0.0/8', 'fd00::/8', '192.0.2.1']);
  });

  it.each(['0', '10', '-1', '1.5', 'true', 'loopback', '10.0.0.0/33', '10.0.0.0/0', '::/0'])(
    'is refused if it is %s',
    (text) => {
      expect(() => read(text)).toThrow(SettingsRefused);
      expect(() => read(text)).toThrow(/SHOEPRINT_TRUST_PROXY: must be/);
    },
  );

  it.each(['10.0.0.0/8,', '10.0.0.0/8/8', 'fe80::1%eth0', 'a.example', '10.0.0.0/08'])(
    'is refused if a network is written as %s',
    (text) => {
      expect(() => read(text)).toThrow(SettingsRefused);
    },
  );
});
