export { CONTRADICTIONS, ExportRefusal, type ExportCode } from './refusal.js';
export {
  EXPORT_FORMATS,
  FIELDS_OF_SCOPE,
  refuseUnlessClear,
  SINCE_MAX,
  type ExportAsked,
  type ExportParts,
  type ExportFormat,
} from './asked.js';
export type { ExportRows, LookedUpFinding, OpeningRow, RecordPosition } from './rows.js';
export { packageContent } from './package-content.js';
export { RecordFile } from './record-file.js';
export {
  makePackage,
  type MadePackage,
  type PackageMaking,
  type PackageOut,
  type PackageStep,
} from './make-package.js';
export {
  EXPORTER_START,
  type ExporterWord,
  type ExportStep,
  type ExportTask,
  type ExportWord,
} from './export-task.js';
export { sealedUpToNow } from './sealed-up-to.js';
