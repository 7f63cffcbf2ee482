export { ExportRefusal, type ExportCode } from './refusal.js';
export {
  packageContent,
  type ExportAsked,
  type ExportParts,
  type JudgedRangeLines,
} from './package-content.js';
export {
  makePackage,
  type MadePackage,
  type PackageMaking,
  type PackageOut,
  type PackageStep,
} from './make-package.js';
