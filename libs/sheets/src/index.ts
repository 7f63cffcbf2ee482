export { csvWriter } from './csv.js';
export type { CellValue, SheetWriter } from './sheet.js';
export { XlsxWriter } from './xlsx.js';
