import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointerTo } from '#baccarat';
import {
  CONFIGURATION_FORM,
  configurationProblems,
  ConfigurationRefused,
  readConfiguration,
} from '#gateway';
import { rounds } from '../kit/rounds.js';

type Json = Record<string, unknown>;
const file = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const example = (): Json => JSON.parse(file('examples/gateway.json')) as Json;

let folder = '';
let key = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  key = join(folder, 'key');
  writeFileSync(key, 'a-key\n', { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the example with its key file in place, and with the values at some pointers replaced. */
function changed(changes: Readonly<Record<string, unknown>>): Json {
  const document = example();
  for (const [pointer, value] of Object.entries({ '/api/keyFile': key, ...changes })) {
    const names = pointer.split('/').slice(1);
    const last = names.pop() as string;
    const parent = names.reduce<Json>((at, name) => at[name] as Json, document);
    parent[last] = value; // JSON leaves out what is undefined
  }
  return document;
}

const written = (document: unknown): string => {
  const path = join(folder, 'gateway.json');
  writeFileSync(path, JSON.stringify(document));
  return path;
};

/** Returns the problems for which a gateway refuses the changed example, as `pointer: reason`. */
function refusals(changes: Readonly<Record<string, unknown>>): string[] {
  try {
    readConfiguration(written(changed(changes)));
  } catch (error) {
    if (error instanceof ConfigurationRefused)
      return error.problems.map(({ pointer, problem }) => `${pointer}: ${problem}`);
    throw error;
  }
  return [];
}

const SHOE = { name: 'other', protocol: 'angel-eye-ii-ex', port: { connect: '10.0.7.20:4001' } };

describe('the configuration of a gateway', () => {
  it('accepts the example, whose shoe is opened at its first card', () => {
    const { configuration, warnings } = readConfiguration(written(changed({})));
    expect(configuration.opens.when).toBe('first-card');
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/opens/when', '/devices/0/sequence']);
  });

  it('warns that a gateway which opens shoes at a card cannot tell a new shoe', () => {
    expect(readConfiguration(written(changed({}))).warnings[0]?.problem).toMatch(
      /cannot tell a new shoe/,
    );
  });

  it('warns of another file beside it that is a gateway of the same table', () => {
    const file = written(changed({}));
    const others = {
      'B07-other.json': JSON.stringify(example()),
      'B08.json': JSON.stringify({ ...example(), table: 'B08' }),
      'package.json': '{"table":"B07"}',
      'torn.json': '{"table":',
      'B07.txt': JSON.stringify(example()),
    };
    for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, name), text);
    const { warnings } = readConfiguration(file);
    expect(warnings.filter(({ pointer }) => pointer === '/table')).toEqual([
      {
        pointer: '/table',
        problem:
          'is the table of B07-other.json too: all devices of a table belong on one gateway, since only their gateway knows what came first',
      },
    ]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['an unknown key', { '/tabel': 'B07' }, '/tabel: is not a field of this document'],
    ['the page, which is not there', { '/page': {} }, '/page: is not a field of this document'],
    ['the light, which is not there', { '/led': '/x' }, '/led: is not a field of this document'],
    [
      'an unknown key of a device',
      { '/devices/0/parity': 'even' },
      '/devices/0/parity: is not a field of this document',
    ],
    [
      'a protocol that is not there',
      { '/devices/1/protocol': 'scan' },
      '/devices/1/protocol: is "scan" and should be one of "angel-eye-ii-ex", "line-1"',
    ],
    [
      'a page that opens shoes',
      { '/opens/when': 'page' },
      '/opens/when: is "page" and should be one of "line", "first-card"',
    ],
    [
      'a page that opens coups',
      { '/coups': 'page' },
      '/coups: is "page" and should be one of "shoe", "line"',
    ],
    [
      'two devices of one name',
      { '/devices/1/name': 'B07-shoe' },
      '/devices/1/name: "B07-shoe" is the name of device 1 already',
    ],
    [
      'a device with the name of the gateway',
      { '/devices/1/name': 'B07-gateway' },
      '/devices/1/name: "B07-gateway" is the name under which the gateway itself reports',
    ],
    [
      'coups of a line that is not there',
      { '/coups': 'line', '/devices/1': SHOE },
      '/coups: is "line", and no device speaks line-1',
    ],
    [
      'coups added to a device that numbers its own events',
      { '/devices': [{ ...SHOE, protocol: 'line-1' }] },
      '/coups: is "shoe", and no device speaks angel-eye-ii-ex: a device on line-1 numbers its own events, so the gateway cannot add a coup to them',
    ],
    [
      'shoes of a line that is not there',
      { '/opens/when': 'line', '/devices/1': SHOE },
      '/opens/when: is "line", and no device speaks line-1',
    ],
    [
      'baud 0',
      { '/devices/0/port/baud': 0 },
      '/devices/0/port/baud: is 0 and should be at least 300',
    ],
    [
      'a listener that other machines reach, open to all of them',
      { '/devices/1/port': { listen: '10.0.7.1:7301' } },
      '/devices/1/port/from: is missing: a port that other machines reach needs the addresses of its devices, because the protocol has no secret',
    ],
    [
      'a listener at all addresses',
      { '/devices/1/port': { listen: '[::]:7301' } },
      '/devices/1/port/from: is missing: a port that other machines reach needs the addresses of its devices, because the protocol has no secret',
    ],
    [
      'a network of devices that is not one',
      { '/devices/1/port': { listen: '10.0.7.1:7301', from: ['10.0.7.0/33'] } },
      '/devices/1/port/from/0: "10.0.7.0/33" is not an IP address or a network, such as "10.0.7.0/28"',
    ],
    [
      'a port of two kinds',
      { '/devices/0/port/listen': '127.0.0.1:1' },
      '/devices/0/port: should have exactly one of serial, listen and connect',
    ],
    [
      'one port for two uses',
      { '/health/listen': '127.0.0.1:7301' },
      '/health/listen: "127.0.0.1:7301" is used at /devices/1/port/listen already',
    ],
    [
      'a port number that is too high',
      { '/health/listen': '127.0.0.1:70000' },
      '/health/listen: names port 70000 and should name one from 1 to 65535',
    ],
    [
      'a sequence with one character twice',
      { '/devices/0/sequence': '01230' },
      '/devices/0/sequence: is "01230", which is not of the form: "unknown", or the sequence characters in their order',
    ],
    [
      'an api without TLS on another machine',
      { '/api/url': 'http://audit.example' },
      '/api/url: should begin with https://, since the key is sent there',
    ],
    [
      'a currency that does not exist',
      { '/opens/currency': 'ZZZ' },
      '/opens/currency: "ZZZ" is not a currency code of ISO 4217, such as "MOP"',
    ],
    ['a table named like the record of the house', { '/table': '@house' }, '/table: is "@house"'],
  ])('refuses %s', (_, changes, problem) => {
    const found = refusals(changes);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(problem)).toBe(true);
  });

  it('refuses a key file that other users can read', () => {
    chmodSync(key, 0o644);
    expect(refusals({})).toEqual([
      `/api/keyFile: ${key}: other users can read the key file (chmod 600 mends it)`,
    ]);
  });

  it('accepts a key file that systemd shows to the group of the service', () => {
    chmodSync(key, 0o440);
    expect(refusals({})).toEqual([]);
  });

  it('refuses a key file that is missing, empty, or has more than the key, and shows none of it', () => {
    expect(refusals({ '/api/keyFile': '/not/there' })).toEqual([
      '/api/keyFile: /not/there: no such file',
    ]);
    for (const content of ['', 'secret one\nsecret two\n']) {
      writeFileSync(key, content);
      expect(refusals({})).toEqual([
        `/api/keyFile: ${key}: the key file should contain the key alone, on one line`,
      ]);
    }
  });

  it('refuses a file of certificates without one', () => {
    expect(refusals({ '/api/ca': key })).toEqual([
      `/api/ca: ${key}: contains no certificate in PEM`,
    ]);
  });

  it('refuses a serial port that is a folder, and accepts one that is not plugged in', () => {
    const port = join(folder, 'port');
    expect(refusals({ '/devices/0/port/serial': port })).toEqual([]);
    mkdirSync(port);
    expect(refusals({ '/devices/0/port/serial': port })).toEqual([
      `/devices/0/port/serial: ${port}: is a folder, and a serial port is a device file`,
    ]);
  });

  it('lists every fault at once, those of files too', () => {
    chmodSync(key, 0o644);
    expect(
      refusals({ '/devices/0/port/baud': 0, '/devices/1/name': '', '/tabel': 1 }).map(
        (each) => each.split(':')[0],
      ),
    ).toEqual(['/tabel', '/devices/0/port/baud', '/devices/1/name', '/api/keyFile']);
  });

  it('refuses a file that is not there, is not JSON or is a folder, with its name', () => {
    expect(() => readConfiguration('/not/there.json')).toThrow('/not/there.json: no such file');
    const path = written({});
    writeFileSync(path, '{"table":');
    expect(() => readConfiguration(path)).toThrow(/gateway\.json: .*\n {2}\/: is not JSON/);
    expect(() => readConfiguration(folder)).toThrow(/is a folder, not a file/);
  });
});

describe('the published schema of a configuration', () => {
  const schema = JSON.parse(file('docs/integrating/gateway.schema.json')) as object;
  const validate = new Ajv2020.default({ allErrors: true, strict: true }).compile(schema);

  it('is the form that the gateway checks', () => {
    expect(schema).toEqual(JSON.parse(JSON.stringify(CONFIGURATION_FORM)));
  });

  it('accepts the example', () => {
    expect(validate(example())).toBe(true);
  });

  /** The JSON pointers of all members of the example. */
  const places = (json: unknown, at = ''): string[] =>
    json === null || typeof json !== 'object'
      ? []
      : Object.entries(json).flatMap(([name, member]) => [
          pointerTo(at, name),
          ...places(member, pointerTo(at, name)),
        ]);
  const LIKELY: readonly unknown[] = [
    ...[undefined, null, 0, 1, 300, 4800, true, '', 'B07', 'line', 'shoe', 'unknown', '0123'],
    ...[{}, [], { connect: 'shoe:1' }, { listen: '[::1]:1', from: ['::1'] }, { serial: '/x' }],
    ...['line-1', 'angel-eye-ii-ex', 'learn', 'USD', '/x', ['bets'], ['bets', 'bets'], [SHOE]],
  ];

  it('accepts every configuration that the gateway accepts', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...places(example())),
        fc.oneof(fc.constantFrom(...LIKELY), fc.jsonValue()),
        (place, value) => {
          const document = JSON.parse(JSON.stringify(changed({ [place]: value }))) as Json;
          const isOfForm = validate(document);
          if (isOfForm) accepted += 1;
          // What contradicts itself is of the form, and the gateway refuses it.
          if (!isOfForm) expect(configurationProblems(document)).not.toEqual([]);
        },
      ),
      { numRuns: rounds(4_000) },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
