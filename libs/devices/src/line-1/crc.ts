/** CRC-32 of one byte, for each byte: reflected polynomial EDB88320, as zlib computes it. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Returns the CRC-32 of ASCII text as eight upper-case digits. `123456789` has CBF43926. */
export function crcOf(text: string): string {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at += 1)
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(at)) & 255] as number);
  return ((crc ^ 0xffffffff) >>> 0).toString(16).toUpperCase().padStart(8, '0');
}
