export * from './bytes.js';
export * from './cryptography.js';
export {
  decimalOf,
  FormatFault,
  hashOf,
  hashText,
  LINE_BYTES_MAX,
  strictText,
  TextLines,
} from './text-lines.js';
export * from './tree/merkle.js';
export * from './tree/proofs.js';
export * from './tree/tiles.js';
export * from './notes/keys.js';
export * from './notes/note.js';
export * from './notes/checkpoint.js';
export * from './site/table-name.js';
export * from './site/head.js';
export * from './site/seal.js';
export * from './site/key-statement.js';
export * from './site/key-ring.js';
export * from './site/receipt.js';
export * from './package/verify.js';
