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
export {
  ANY_FOLDER,
  verifyPackage,
  type PackageCounts,
  type PackageReport,
} from './checks/verify.js';
export type { Trust } from './checks/signatures.js';
export type { Platform } from './checks/examination.js';
export type { RunningSha256 } from './package/reading.js';
export { VERDICTS, type PackageFault, type Verdict } from './package/report.js';
export {
  checkName,
  FileList,
  Unreadable,
  type Bytes,
  type PackageSource,
} from './package/source.js';
export { openZip } from './package/zip-reader.js';
export {
  writePackage,
  type PackageContent,
  type PackagePlace,
  type PackedRecord,
  type PackedTable,
  type PlacedFile,
  type WrittenPackage,
} from './package/write.js';
export {
  JUDGED_FILES,
  ReplayFault,
  type JudgedFile,
  type JudgedLines,
  type CoveringSeal,
  type LineFault,
  type StoppedTable,
  type ReplayedShoe,
  type ShoeOpening,
  type JudgedAgain,
  type Judgement,
  type Judging,
  type Replay,
  type TableJudging,
} from './package/replay.js';
export { PACKAGE_FILES, type FileKind } from './package/files.js';
export type {
  PackageStatement,
  ProvenLeaf,
  ProvenRecord,
  PackedHead,
  Since,
  SiteLeaf,
  SiteProof,
  TableProof,
} from './package/files.js';
export type { FileForm } from './package/forms.js';
export { packageSchemas } from './package/schemas.js';
