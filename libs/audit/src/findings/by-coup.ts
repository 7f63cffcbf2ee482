/**
 * Entries by key, in the order in which they came, that are about a coup (by the reference of its
 * opening) or about none (`null`). Those of one coup are found without looking at the others.
 */
export class ByCoup<T extends { readonly coup: string | null }> extends Map<string, T> {
  private readonly keysOf = new Map<string | null, Set<string>>();

  override set(key: string, entry: T): this {
    const known = this.get(key);
    if (known?.coup !== entry.coup) {
      if (known) this.forget(known.coup, key);
      const keys = this.keysOf.get(entry.coup);
      if (keys) keys.add(key);
      else this.keysOf.set(entry.coup, new Set([key]));
    }
    return super.set(key, entry);
  }

  override delete(key: string): boolean {
    const known = this.get(key);
    if (known) this.forget(known.coup, key);
    return super.delete(key);
  }

  override clear(): void {
    this.keysOf.clear();
    super.clear();
  }

  /** Returns the entries about a coup, or about none. */
  of(coup: string | null): (readonly [string, T])[] {
    const keys = this.keysOf.get(coup);
    return keys ? [...keys].map((key) => [key, this.get(key) as T] as const) : [];
  }

  private forget(coup: string | null, key: string): void {
    const keys = this.keysOf.get(coup);
    keys?.delete(key);
    if (keys?.size === 0) this.keysOf.delete(coup);
  }
}
