import type { Severity } from '#audit';

/** What stands against a shoe or a coup. */
export interface Standing {
  /** How many findings stand. */
  readonly findings: number;
  /** The gravest severity among them. */
  readonly worst: Severity | null;
}

/** Returns the condition on a finding `f` that stands against the `column` (`shoe_ref` or `coup_ref`) of the rows called `alias`. */
export const against = (alias: string, column: 'shoe_ref' | 'coup_ref'): string =>
  `f.${column} = ${alias}.ref and f."table" = ${alias}."table" and f.withdrawn_because is null`;

/** Returns a select list of the `Standing` of the rows called `alias`, each field after `prefix`. */
export const standing = (alias: string, column: 'shoe_ref' | 'coup_ref', prefix = ''): string =>
  `(select count(*) from finding f where ${against(alias, column)}) as "${prefix}findings",
   (select min(f.severity) from finding f where ${against(alias, column)}) as "${prefix}worst"`;
