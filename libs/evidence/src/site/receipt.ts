import { bytesOfHex, hexOf } from '../bytes.js';
import { HASH_BYTES } from '../cryptography.js';
import { isOrigin } from '../notes/keys.js';
import { TextLines } from '../text-lines.js';

/** What the exports key signs of a package. */
export interface PackageReceipt {
  readonly origin: string;
  /** Id of the package. */
  readonly package: string;
  /** SHA-256 of `tagmanifest-sha256.txt`. */
  readonly tagManifest: Uint8Array;
}

/** First line of a receipt, and `format` of a package. */
export const PACKAGE_FORMAT = 'shoeprint package v1';

/** Returns a receipt as text. */
export function receiptText(receipt: PackageReceipt): string {
  return `${PACKAGE_FORMAT}\n${receipt.origin}\n${receipt.package}\n${hexOf(receipt.tagManifest)}\n`;
}

/** Reads a receipt. Throws a `FormatFault`. */
export function readReceipt(text: string): PackageReceipt {
  const lines = new TextLines(text);
  lines.fixed(PACKAGE_FORMAT);
  const origin = lines.next('an origin');
  if (!isOrigin(origin)) throw lines.fault(`${JSON.stringify(origin)} is not an origin`);
  const id = lines.next('the id of a package');
  if (id === '') throw lines.fault('is empty (expected the id of a package)');
  const tagManifest = bytesOfHex(lines.next('the SHA-256 of tagmanifest-sha256.txt'));
  if (tagManifest?.length !== HASH_BYTES) {
    throw lines.fault('is not a SHA-256 hash in lower-case hexadecimal digits');
  }
  lines.end();
  return { origin, package: id, tagManifest };
}
