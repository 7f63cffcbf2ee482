export { runExport, type ExportProgress } from './run-export.js';
