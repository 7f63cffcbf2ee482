export { ExportRefusal, type ExportCode } from './refusal.js';
export {
  packageContent,
  type ExportAsked,
  type ExportParts,
  type JudgedRangeLines,
} from './package-content.js';
