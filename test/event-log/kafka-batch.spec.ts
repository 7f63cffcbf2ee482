import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LogRecord } from '#event-log';
import { recordBatch } from '../../libs/event-log/src/kafka/batch.js';
import { ANY_CHARACTER } from '../kit/any-character.js';
import { rounds } from '../kit/rounds.js';

const kafkajs = createRequire(import.meta.url);
const Decoder = kafkajs('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object;
const decode = kafkajs('kafkajs/src/protocol/recordBatch/v0/decoder') as (from: object) => Promise<{
  records: { offset: string; key: Buffer; value: Buffer; headers: object }[];
  firstTimestamp: string;
  maxTimestamp: string;
  producerId: string;
  inTransaction: boolean;
}>;
const crc32c = kafkajs('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

const NOW = Date.UTC(2026, 10, 21);
const bytes = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 8_000, maxLength: 9_000 }) },
);
const records = fc.array(
  fc.record({ key: fc.string({ unit: ANY_CHARACTER, maxLength: 80 }), value: bytes }),
  { minLength: 1, maxLength: 150 },
);

it('encodes batches that kafkajs decodes to the same records, with the same checksum', async () => {
  await fc.assert(
    fc.asyncProperty(records, async (given: LogRecord[]) => {
      const batch = recordBatch(given, NOW);
      expect(batch.readInt32BE(8)).toBe(batch.length - 12);
      expect(batch.readUInt32BE(17)).toBe(crc32c(batch.subarray(21)));
      const read = await decode(new Decoder(batch));
      expect(read).toMatchObject({
        firstTimestamp: String(NOW),
        maxTimestamp: String(NOW),
        producerId: '-1',
        inTransaction: false,
      });
      expect(
        read.records.map(({ offset, key, value, headers }) => ({
          offset,
          key: key.toString('utf8'),
          value,
          headers,
        })),
      ).toEqual(
        given.map(({ key, value }, at) => ({
          offset: String(at),
          key: Buffer.from(key).toString('utf8'),
          value: Buffer.from(value),
          headers: {},
        })),
      );
    }),
    { numRuns: rounds(100) },
  );
});
