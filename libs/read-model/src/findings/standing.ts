import type { Severity } from '#audit';

/** The standing findings of a shoe or a coup, counted. */
export interface Standing {
  /** The number of standing findings. */
  readonly findings: number;
  /** The gravest severity among them. */
  readonly worst: Severity | null;
}

/**
 * Returns the condition that a finding `f` stands and belongs to a row called `alias` by its
 * `column`, `shoe_ref` or `coup_ref`.
 */
export const against = (alias: string, column: 'shoe_ref' | 'coup_ref'): string =>
  `f.${column} = ${alias}.ref and f."table" = ${alias}."table" and f.withdrawn_because is null`;

/**
 * Returns a select list of the `Standing` of the rows called `alias`, with `prefix` before each
 * field.
 */
export const standing = (alias: string, column: 'shoe_ref' | 'coup_ref', prefix = ''): string =>
  `(select count(*) from finding f where ${against(alias, column)}) as "${prefix}findings",
   (select min(f.severity) from finding f where ${against(alias, column)}) as "${prefix}worst"`;
