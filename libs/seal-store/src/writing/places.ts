/** Where a record stands in the log. */
export interface LogPlace {
  readonly partition: number;
  readonly offset: number;
}

/** Bytes of a place: two of the partition, six of the offset. */
export const PLACE_BYTES = 8;
const PARTITION_BYTES = 2;
const OFFSET_BYTES = 6;

/** Returns places as bytes, one after the other. */
export function placesBytes(places: readonly LogPlace[]): Buffer {
  const bytes = Buffer.alloc(places.length * PLACE_BYTES);
  for (const [at, { partition, offset }] of places.entries()) {
    bytes.writeUIntBE(partition, at * PLACE_BYTES, PARTITION_BYTES);
    bytes.writeUIntBE(offset, at * PLACE_BYTES + PARTITION_BYTES, OFFSET_BYTES);
  }
  return bytes;
}

/** Reads places from bytes that `placesBytes` made. */
export const placesOf = (bytes: Buffer): LogPlace[] =>
  Array.from({ length: bytes.length / PLACE_BYTES }, (_, at) => ({
    partition: bytes.readUIntBE(at * PLACE_BYTES, PARTITION_BYTES),
    offset: bytes.readUIntBE(at * PLACE_BYTES + PARTITION_BYTES, OFFSET_BYTES),
  }));
