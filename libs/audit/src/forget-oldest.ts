/** Deletes the entries that a map has had longest until it has at most `countMax`. */
export function forgetOldest<Key>(kept: Map<Key, unknown>, countMax: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= countMax) return;
    kept.delete(oldest);
  }
}
