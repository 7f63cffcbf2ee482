import { readFileSync } from 'node:fs';
import { errorCode } from './error-code.js';
import { Refusal } from './refusal.js';

/** Environment variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Thrown for settings that a program cannot start with. Lists every fault under the name of its
 * variable.
 */
export class SettingsRefused extends Refusal {
  override readonly name = 'SettingsRefused';

  constructor(readonly faults: readonly string[]) {
    super(`cannot start:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/**
 * Reads environment variables and collects faults instead of stopping at the first. Reports one
 * fault per setting, by the name of the variable. Never reports a value: it may be a secret.
 */
export class Environment {
  private readonly faultOf = new Map<string, string>();

  constructor(private readonly variables: Variables) {}

  /** Returns the value, or undefined if the variable is absent or empty. */
  text(name: string): string | undefined {
    return this.variables[name] || undefined;
  }

  /**
   * Returns the value of NAME, or the content of the file that NAME_FILE names, without the line
   * break at its end. Only one of the two may be set.
   */
  secret(name: string): string | undefined {
    const fileName = `${name}_FILE`;
    if (this.text(fileName) === undefined) return this.text(name);
    if (this.text(name) !== undefined) {
      this.fault(name, `is set, and so is ${fileName}: set one of them`);
      return undefined;
    }
    const content = this.file(fileName, name);
    const secret = content?.toString('utf8').replace(/\r?\n$/, '');
    if (secret === '') this.fault(fileName, 'the file is empty', name);
    return secret || undefined;
  }

  /** Returns the bytes of the file that the variable names. A fault counts for `setting`. */
  file(name: string, setting = name): Buffer | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      this.fault(name, `the file cannot be read (${errorCode(error) ?? 'unknown'})`, setting);
      return undefined;
    }
  }

  /** Returns a whole number within bounds, or `absent` if the variable is absent or faulty. */
  whole(name: string, absent: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return absent;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.fault(name, `must be a whole number from ${least} to ${most}`);
    return absent;
  }

  /** Returns one of the allowed values, or `absent` if the variable is absent or faulty. */
  oneOf<Value extends string, Absent>(
    name: string,
    allowed: readonly Value[],
    absent: Absent,
  ): Value | Absent {
    const text = this.text(name);
    if (text === undefined) return absent;
    const value = allowed.find((each) => each === text);
    if (value !== undefined) return value;
    this.fault(name, `must be one of ${allowed.join(', ')}`);
    return absent;
  }

  /** Returns the parsed JSON of a variable, or undefined if it is absent or not JSON. */
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

  /**
   * Adds a fault of a variable. The first fault of a setting stays; NAME_FILE is the same setting
   * as NAME.
   */
  fault(name: string, why: string, setting = name): void {
    if (!this.faultOf.has(setting)) this.faultOf.set(setting, `${name}: ${why}`);
  }

  /** Throws `SettingsRefused` with every fault found so far. */
  check(): void {
    if (this.faultOf.size > 0) throw new SettingsRefused([...this.faultOf.values()]);
  }
}
