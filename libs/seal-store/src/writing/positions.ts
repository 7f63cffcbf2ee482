/** The position of a record in the log. */
export interface LogPosition {
  readonly partition: number;
  readonly offset: number;
}

/** Bytes of a position: two of the partition, six of the offset. */
export const POSITION_BYTES = 8;
const PARTITION_BYTES = 2;
const OFFSET_BYTES = 6;

/** Returns positions as bytes, one after the other. */
export function positionBytes(positions: readonly LogPosition[]): Buffer {
  const bytes = Buffer.alloc(positions.length * POSITION_BYTES);
  for (const [at, { partition, offset }] of positions.entries()) {
    bytes.writeUIntBE(partition, at * POSITION_BYTES, PARTITION_BYTES);
    bytes.writeUIntBE(offset, at * POSITION_BYTES + PARTITION_BYTES, OFFSET_BYTES);
  }
  return bytes;
}

/** Reads positions from bytes that `positionBytes` made. */
export const positionsOf = (bytes: Buffer): LogPosition[] =>
  Array.from({ length: bytes.length / POSITION_BYTES }, (_, at) => ({
    partition: bytes.readUIntBE(at * POSITION_BYTES, PARTITION_BYTES),
    offset: bytes.readUIntBE(at * POSITION_BYTES + PARTITION_BYTES, OFFSET_BYTES),
  }));
