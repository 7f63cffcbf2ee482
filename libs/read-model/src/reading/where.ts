import { keyOf } from '../database/schema-keys.js';

/**
 * The filter of every list and report. All fields are optional. A row must match all fields that
 * are set.
 */
export interface Filter {
  /** The tables that the identity may see: all if it is not set, none if it is empty. */
  readonly scope?: readonly string[];
  /**
   * The person who reads. What people propose under an accusation is not shown to those who were
   * involved. Nobody is involved if it is not set.
   */
  readonly viewer?: string;
  readonly table?: string;
  /** The dealer; '' selects coups without a dealer signed on. */
  readonly dealer?: string;
  /** The first gaming day, `YYYY-MM-DD`. */
  readonly from?: string;
  /** The last gaming day, `YYYY-MM-DD`, inclusive. */
  readonly to?: string;
}

/** Who reads: which tables the identity may see, and the person. */
export type ReadBy = Pick<Filter, 'scope' | 'viewer'>;

/** The conditions of one query and its parameters. */
export class Where {
  private readonly conditions: string[] = [];

  /**
   * `parameters` holds the parameters of the query that these conditions belong to. The conditions
   * append their own.
   */
  constructor(readonly parameters: unknown[] = []) {}

  /** Adds a condition. Each `?` in it is a placeholder for the next of `values`. */
  and(condition: string, ...values: unknown[]): this {
    let next = 0;
    this.conditions.push(condition.replace(/\?/g, () => this.parameter(values[next++])));
    return this;
  }

  /** Adds a condition on a value, unless the value is undefined. */
  given(condition: string, value: unknown): this {
    return value === undefined ? this : this.and(condition, value);
  }

  /** Adds a condition on an id or a reference, unless it is undefined. Rows store `keyOf` of it. */
  named(condition: string, id: string | undefined): this {
    return this.given(condition, id === undefined ? undefined : keyOf(id));
  }

  /**
   * Adds the conditions of a filter on the rows called `row`. `noDealer` says how these rows store
   * that no dealer was signed on.
   */
  filter(
    row: string,
    { scope, table, dealer, from, to }: Filter,
    noDealer: 'empty' | 'null',
  ): this {
    if (dealer === '' && noDealer === 'null') this.and(`${row}.dealer is null`);
    else this.named(`${row}.dealer = ?`, dealer);
    return this.given(`${row}."table" = any(?)`, scope?.map(keyOf))
      .named(`${row}."table" = ?`, table)
      .given(`${row}.gaming_day >= ?`, from)
      .given(`${row}.gaming_day <= ?`, to);
  }

  /** Adds a parameter and returns its placeholder, such as `$3`. */
  parameter(value: unknown): string {
    this.parameters.push(value);
    return `$${this.parameters.length}`;
  }

  /** All conditions as one, to select by another way than with `where`. */
  get all(): string {
    return this.conditions.length === 0 ? 'true' : `(${this.conditions.join(' and ')})`;
  }

  /** The `where` clause, or '' if there are no conditions. */
  get sql(): string {
    return this.conditions.length === 0 ? '' : `where ${this.conditions.join('\n  and ')}`;
  }
}
