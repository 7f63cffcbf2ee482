import { expect, it } from '@jest/globals';
import { answer, decoded, type Produced } from '../../libs/event-log/src/kafka/producer.js';

/** Returns the outcome of each partition: its offset, or why its batch does not count. */
function outcomes(partitions: readonly number[], produced: readonly Produced[]): string[] {
  const told: string[] = [];
  answer(
    partitions.map((partition) => ({
      partition,
      resolve: ({ first }: Produced) => void told.push(`${partition} at ${first}`),
      reject: ({ message }: Error) => void told.push(message),
    })),
    produced,
  );
  return told;
}

const said = (partition: number, first: number): Produced => ({ partition, errorCode: 0, first });

it('acknowledges a batch only if the answer names its partition exactly once', () => {
  expect(outcomes([0, 1, 2], [said(2, 70), said(0, 5), said(2, 71), said(9, 1)])).toEqual([
    '0 at 5',
    "the broker's answer names partition 1 0 times",
    "the broker's answer names partition 2 2 times",
  ]);
});

/** Encodes an answer of version 7 as Kafka does. */
function answerOf(topic: string, partitions: readonly Produced[]): Buffer {
  const number = (value: number, bytes: 2 | 4 | 8): Buffer => {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
    else buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const each = partitions.flatMap(({ partition, errorCode, first }) => [
    number(partition, 4),
    number(errorCode, 2),
    number(first, 8),
    number(-1, 8),
    number(0, 8),
  ]);
  return Buffer.concat([
    number(1, 4),
    number(topic.length, 2),
    Buffer.from(topic),
    number(partitions.length, 4),
    ...each,
    number(0, 4),
  ]);
}

it('decodes the offset or the error of each partition in an answer', () => {
  const partitions = [said(3, 2 ** 40), { partition: 11, errorCode: 6, first: -1 }];
  expect(decoded(answerOf('events', partitions), 'events')).toEqual(partitions);
  expect(() => decoded(answerOf('others', partitions), 'events')).toThrow('first others');
  expect(() => decoded(answerOf('events', partitions).subarray(0, 40), 'events')).toThrow(
    'out of range',
  );
});
