/** Why a package cannot be made. */
export type ExportCode =
  | 'not-sealed'
  | 'day-not-sealed'
  | 'unknown-table'
  | 'unknown-shoe'
  | 'unknown-checkpoint'
  | 'record-missing'
  | 'not-judged'
  | 'differs-from-rows'
  | 'not-intact';

/** Thrown if a package cannot be made. The message names what was asked for, and what is missing. */
export class ExportRefusal extends Error {
  override readonly name = 'ExportRefusal';

  constructor(
    readonly code: ExportCode,
    message: string,
  ) {
    super(message);
  }
}
