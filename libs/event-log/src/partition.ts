/**
 * Returns the partition of a key: Kafka's own murmur2 of its UTF-8 bytes modulo `partitions`, so
 * that any Kafka client picks the same partition.
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(utf8.encode(key)) & 0x7fffffff) % partitions;
}

const utf8 = new TextEncoder();
const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Returns the MurmurHash2 that Apache Kafka's clients use, as a signed 32-bit number. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  let hash = SEED ^ length;
  const words = length >> 2;
  for (let word = 0; word < words; word += 1) {
    const at = word * 4;
    let k =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    k = Math.imul(k, M);
    hash = Math.imul(hash, M) ^ k;
  }
  const rest = words * 4;
  const left = length & 3;
  if (left === 3) hash ^= (bytes[rest + 2] as number) << 16;
  if (left >= 2) hash ^= (bytes[rest + 1] as number) << 8;
  if (left >= 1) {
    hash ^= bytes[rest] as number;
    hash = Math.imul(hash, M);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}
