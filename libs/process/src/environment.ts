import { readFileSync } from 'node:fs';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be started with: every fault, by the variable's name. */
export class SettingsRefused extends Error {
  override readonly name = 'SettingsRefused';

  constructor(readonly faults: readonly string[]) {
    super(`cannot start:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** Reads variables, and collects what is wrong with them by name instead of stopping at the first. A value is never told: it may be a secret. */
export class Environment {
  readonly faults: string[] = [];

  constructor(readonly variables: Variables) {}

  /** The value, or undefined where it is absent or empty. */
  text(name: string): string | undefined {
    return this.variables[name] || undefined;
  }

  /** The value of NAME, or what the file that NAME_FILE names holds, without the line's end. Both at once is a fault. */
  secret(name: string): string | undefined {
    const file = this.text(`${name}_FILE`);
    if (file === undefined) return this.text(name);
    if (this.text(name) !== undefined) this.fault(name, `is set, and ${name}_FILE too; set one`);
    return (
      this.file(`${name}_FILE`)
        ?.toString('utf8')
        .replace(/\r?\n$/, '') || undefined
    );
  }

  /** The bytes of the file that the variable names. */
  file(name: string): Buffer | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      this.fault(
        name,
        `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      );
      return undefined;
    }
  }

  whole(name: string, absent: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return absent;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.fault(name, `must be a whole number from ${least} to ${most}`);
    return absent;
  }

  /** The parsed JSON of a variable, or undefined where it is absent or no JSON. */
  json(name: string): unknown {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      this.fault(name, 'is not JSON');
      return undefined;
    }
  }

  /** Adds a fault of a variable. */
  fault(name: string, why: string): void {
    this.faults.push(`${name}: ${why}`);
  }

  /** Adds faults that another reader found, but for those of variables that have one already; NAME_FILE is the same setting as NAME. */
  faultsOfOthers(faults: readonly string[]): void {
    const known = new Set(this.faults.map(nameOf));
    this.faults.push(...faults.filter((fault) => !known.has(nameOf(fault))));
  }

  /** Throws `SettingsRefused` with everything that was wrong so far. */
  check(): void {
    if (this.faults.length > 0) throw new SettingsRefused([...this.faults]);
  }
}

const nameOf = (fault: string): string => (/^\w+/.exec(fault)?.[0] ?? fault).replace(/_FILE$/, '');
