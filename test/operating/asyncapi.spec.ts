import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import { EVENT_TYPES, fullName, type EventType } from '#audit';
import { asyncApiText } from '../../scripts/asyncapi.mjs';
import { anyEventOf } from '../kit/any-event.js';

interface EventSchema {
  readonly required: readonly string[];
  readonly properties: { readonly data: { readonly required?: readonly string[] } };
}

/** The parts of the document that the tests read. */
interface AsyncApi {
  readonly channels: {
    readonly 'table-events': { readonly address: string; readonly messages: object };
  };
  readonly components: {
    readonly messages: {
      readonly [type in EventType]: {
        readonly name: string;
        readonly examples?: readonly { readonly payload: object }[];
      };
    };
    readonly schemas: { readonly [type in EventType]: EventSchema };
  };
}

const FILE = 'docs/asyncapi.yaml';
const TEXT = readFileSync(FILE, 'utf8');
const DOCUMENT = parse(TEXT) as AsyncApi;
const STAMPS = { receivedfrom: 'B07-shoe', receivedtime: '2026-11-20T12:00:00.140Z' };

/**
 * Returns whether a line's object has the form that the document declares for its type. The decoder
 * checks the formats of times.
 */
const judge = new Ajv({ strict: false, validateFormats: false }).addSchema({
  ...DOCUMENT,
  $id: 'asyncapi',
});
const accepts = (type: EventType, line: unknown): boolean =>
  judge.validate(`asyncapi#/components/schemas/${type}`, line);

describe('docs/asyncapi.yaml', () => {
  it('equals what its script generates from the table of event shapes', () => {
    expect(TEXT).toBe(asyncApiText());
  });

  it('is a valid AsyncAPI 3 document, without errors or warnings from its parser', () => {
    const program = `
      import { readFileSync } from 'node:fs';
      import { Parser } from '@asyncapi/parser';
      const { document, diagnostics } = await new Parser().parse(readFileSync('${FILE}', 'utf8'));
      console.log(JSON.stringify({ version: document?.version(), problems: diagnostics.filter(({ severity }) => severity < 2) }));`;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ version: '3.0.0', problems: [] });
  });

  it('describes every event type, each as a message of the one channel', () => {
    const { messages, address } = DOCUMENT.channels['table-events'];
    expect(address).toBe('shoeprint.table-events.v1');
    expect(Object.keys(messages)).toEqual(EVENT_TYPES);
    expect(EVENT_TYPES.map((type) => DOCUMENT.components.messages[type].name)).toEqual(
      EVENT_TYPES.map(fullName),
    );
  });

  it('accepts every event that the validator accepts, once it is stamped', () => {
    for (const type of EVENT_TYPES) {
      fc.assert(
        fc.property(anyEventOf(type), (event) => accepts(type, { ...event, ...STAMPS })),
        { numRuns: 25 },
      );
    }
  });

  it.each([
    ['a number beyond 2^53 - 1', [{ card: 2 ** 53 }]],
    ['a number below -(2^53 - 1)', { card: -1e300 }],
    ['NUL in a string', { card: ['\0'] }],
    ['NUL in a key', [{ 'card\0': '9S' }]],
  ])('rejects a correction whose data has %s at any depth', (_, corrected) => {
    const [event] = fc.sample(anyEventOf('observation-corrected'), 1) as [
      { readonly data: object },
    ];
    const corrects = (data: object): boolean =>
      accepts('observation-corrected', { ...event, ...STAMPS, data: { ...event.data, data } });
    expect(corrects({ x: [{ card: [2 ** 53 - 1, null, true, ''] }] })).toBe(true);
    expect(corrects({ x: corrected })).toBe(false);
  });

  it('rejects a code beyond 2^53 - 1', () => {
    const [event] = fc.sample(anyEventOf('device-error'), 1) as [{ readonly data: object }];
    const coded = (code: number): boolean =>
      accepts('device-error', { ...event, ...STAMPS, data: { ...event.data, code } });
    expect([coded(-5), coded(2 ** 53), coded(-(2 ** 53))]).toEqual([true, false, false]);
  });

  it('has examples that match their own form', () => {
    const examples = EVENT_TYPES.flatMap((type) =>
      (DOCUMENT.components.messages[type].examples ?? []).map(({ payload }) =>
        accepts(type, payload),
      ),
    );
    expect(examples).toEqual([true]);
  });

  it('rejects a line without a required part, with an unknown part, or without a stamp', () => {
    for (const type of EVENT_TYPES) {
      const [event] = fc.sample(anyEventOf(type), { numRuns: 1, seed: 7 }) as [
        { readonly data: object },
      ];
      const line = { ...event, ...STAMPS };
      const { required, properties } = DOCUMENT.components.schemas[type];
      for (const name of required) expect(accepts(type, without(line, name))).toBe(false);
      for (const name of properties.data.required ?? [])
        expect(accepts(type, { ...line, data: without(line.data, name) })).toBe(false);
      expect(accepts(type, { ...line, more: 1 })).toBe(false);
      expect(accepts(type, { ...line, data: { ...line.data, more: 1 } })).toBe(false);
    }
  });
});

const without = (object: object, name: string): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
