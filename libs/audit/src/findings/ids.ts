import { CATALOGUE, type TailField } from './catalogue.js';
import type { Finding } from './finding.js';

/** Returns the SHA-256 of a text's UTF-8 in hexadecimal digits. */
export type Sha256Hex = (text: string) => string;

const ID_DIGITS = 32;

/**
 * Returns the id of a finding (contract section 4, "A finding's id"): the first 32 hexadecimal
 * digits of the SHA-256 of a JSON array of strings. Anybody can compute it from the finding's own
 * fields.
 */
export function idOf(finding: Omit<Finding, 'id'>, sha256: Sha256Hex): string {
  const { code, table, shoeRef = '', coupRef = '' } = finding;
  const { about, tail } = CATALOGUE[code];
  const openings = about === 'device' ? [] : [shoeRef, about === 'shoe' ? '' : coupRef];
  const parts = [code, table, ...openings, ...tail.map((field) => textAt(finding, field))];
  return sha256(JSON.stringify(parts)).slice(0, ID_DIGITS);
}

/** Returns the field at a path as text; empty where the finding does not have it. */
function textAt(finding: object, path: TailField): string {
  let value: unknown = finding;
  for (const name of path.split('.'))
    value = (value as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
