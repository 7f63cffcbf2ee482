import { keyOf } from '../database/schema-keys.js';

/** What every list and report is narrowed by. All of it is optional, and all of it holds together. */
export interface Filter {
  /** The tables that whoever asks may see; all without it, none where it is empty. */
  readonly scope?: readonly string[];
  readonly table?: string;
  /** Who dealt; '' for where nobody had signed on. */
  readonly dealer?: string;
  /** The first gaming day, `YYYY-MM-DD`. */
  readonly from?: string;
  /** The last gaming day, `YYYY-MM-DD`, itself included. */
  readonly to?: string;
}

/** The conditions of one query and its parameters. */
export class Where {
  private readonly conditions: string[] = [];

  /** `parameters`: those of a query that these conditions are part of; their own are put after them. */
  constructor(readonly parameters: unknown[] = []) {}

  /** Adds a condition; each `?` in it stands for the next of `values`. */
  and(condition: string, ...values: unknown[]): this {
    let next = 0;
    this.conditions.push(condition.replace(/\?/g, () => this.parameter(values[next++])));
    return this;
  }

  /** Adds a condition about a value that was asked for, and nothing where none was. */
  given(condition: string, value: unknown): this {
    return value === undefined ? this : this.and(condition, value);
  }

  /** The same of an id or a reference: long ones stand shortened in the rows. */
  named(condition: string, id: string | undefined): this {
    return this.given(condition, id === undefined ? undefined : keyOf(id));
  }

  /** Adds the conditions of a filter about the rows called `row`. `nobody`: how these rows say that no dealer had signed on. */
  filter(row: string, { scope, table, dealer, from, to }: Filter, nobody: 'empty' | 'null'): this {
    if (dealer === '' && nobody === 'null') this.and(`${row}.dealer is null`);
    else this.named(`${row}.dealer = ?`, dealer);
    return this.given(`${row}."table" = any(?)`, scope?.map(keyOf))
      .named(`${row}."table" = ?`, table)
      .given(`${row}.gaming_day >= ?`, from)
      .given(`${row}.gaming_day <= ?`, to);
  }

  /** The place of a value in the query: `$3`. */
  parameter(value: unknown): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  /** `where …`, or nothing where there is no condition. */
  get sql(): string {
    return this.conditions.length === 0 ? '' : `where ${this.conditions.join('\n  and ')}`;
  }
}
