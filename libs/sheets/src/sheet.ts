/** What a cell of a file holds; null leaves it empty. */
export type CellValue = string | number | null;

/** Writes the bytes of a file of rows, a slice at a time. */
export interface SheetWriter {
  readonly begin: (headings: readonly string[]) => Uint8Array;
  readonly add: (rows: readonly (readonly CellValue[])[]) => Uint8Array;
  readonly end: () => Uint8Array;
}
