/** Why a package cannot be made. */
export type ExportCode =
  | 'bad-scope'
  | 'not-sealed'
  | 'day-not-sealed'
  | 'unknown-table'
  | 'unknown-shoe'
  | 'unknown-finding'
  | 'unknown-checkpoint'
  | 'too-many-checkpoints'
  | 'unknown-format'
  | 'record-missing'
  | 'not-judged'
  | 'rows-behind'
  | 'differs-from-rows'
  | 'not-intact';

/**
 * The codes that no request and no outage leads to: somebody edited records or rows, or there is a
 * fault in the program.
 */
export const CONTRADICTIONS: readonly string[] = [
  'differs-from-rows',
  'not-intact',
] satisfies readonly ExportCode[];

/** Thrown if a package cannot be made. The message names what was asked for, and what is missing. */
export class ExportRefusal extends Error {
  override readonly name = 'ExportRefusal';

  constructor(
    readonly code: ExportCode,
    readonly reason: string,
    /** The field of the request that is at fault, as a path such as `scope/shoe`. */
    readonly field?: string,
  ) {
    super(field === undefined ? reason : `${field}: ${reason}`);
  }
}
