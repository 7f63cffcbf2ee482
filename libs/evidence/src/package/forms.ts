/**
 * The form of a JSON value, as data: the readers, the writer, the JSON Schemas and the tests that
 * change every field derive from it. `T` is the type of the values that have this form.
 */
export type FileForm<T> = Shape & { readonly values?: T };

type Shape =
  | { readonly is: 'text'; readonly max: number; readonly pattern?: string }
  | { readonly is: 'count' }
  | { readonly is: 'flag' }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  | { readonly is: 'list'; readonly of: FileForm<unknown>; readonly max: number }
  | { readonly is: 'maybe'; readonly of: FileForm<unknown> }
  | { readonly is: 'object'; readonly fields: Fields };

/** A field of an object that can be absent. */
interface Optional {
  readonly optional: true;
}

type Fields = Readonly<Record<string, FileForm<unknown> & Partial<Optional>>>;
/** The type of the values that have a form. */
export type ValueOf<F> = F extends { readonly values?: infer T } ? T : never;
type OptionalOf<F> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F];
type ObjectOf<F> = {
  readonly [K in Exclude<keyof F, OptionalOf<F>>]: ValueOf<F[K]>;
} & { readonly [K in OptionalOf<F>]?: ValueOf<F[K]> };

/** A text of at most `max` UTF-16 units, which matches `pattern` as a whole. */
export const text = (max: number, pattern?: string): FileForm<string> =>
  pattern === undefined ? { is: 'text', max } : { is: 'text', max, pattern };

/** A whole number from 0 to 2^53 - 1. */
export const count: FileForm<number> = { is: 'count' };

/** True or false. */
export const flag: FileForm<boolean> = { is: 'flag' };

/** One of these texts. */
export const choice = <const T extends string>(...of: readonly T[]): FileForm<T> => ({
  is: 'choice',
  of,
});

/** A list of at most `max` values of one form. */
export const list = <T>(of: FileForm<T>, max: number): FileForm<readonly T[]> => ({
  is: 'list',
  of,
  max,
});

/** A value of the form, or null. */
export const maybe = <T>(of: FileForm<T>): FileForm<T | null> => ({ is: 'maybe', of });

/** A field that can be absent. */
export const optional = <T>(form: FileForm<T>): FileForm<T> & Optional => ({
  ...form,
  optional: true,
});

/** An object with these fields, in this order and no others. */
export const object = <const F extends Fields>(fields: F): FileForm<ObjectOf<F>> => ({
  is: 'object',
  fields,
});

/** Thrown for a value that does not have its form. The message names the field and the reason. */
export class FormFault extends Error {
  override readonly name = 'FormFault';
}

/**
 * Reads a JSON text that must be exactly what `JSON.stringify` writes of a value of this form: the
 * fields in their order, no spaces, no unknown field. Throws `FormFault`.
 */
export function readJson<T>(form: FileForm<T>, json: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new FormFault('not JSON');
  }
  assertForm(form, value);
  if (JSON.stringify(value) !== json)
    throw new FormFault('not written as JSON.stringify writes it: no spaces, no field twice');
  return value;
}

/** Writes a value of this form. Throws `FormFault` if it does not have the form. */
export function writeJson<T>(form: FileForm<T>, value: T): string {
  assertForm(form, value);
  return JSON.stringify(value);
}

function assertForm<T>(form: FileForm<T>, value: unknown): asserts value is T {
  const fault = faultOf(form, value, '');
  if (fault !== undefined) throw new FormFault(fault);
}

/** Returns the first fault of a value with its JSON pointer, or undefined. */
function faultOf(form: FileForm<unknown>, value: unknown, at: string): string | undefined {
  const unless = (isGood: boolean, expected: string): string | undefined =>
    isGood ? undefined : `${at || '/'}: must be ${expected}`;
  switch (form.is) {
    case 'text':
      return unless(isText(form, value), textWords(form));
    case 'count':
      return unless(Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0');
    case 'flag':
      return unless(typeof value === 'boolean', 'true or false');
    case 'choice':
      return unless(
        form.of.some((each) => each === value),
        `one of ${form.of.join(', ')}`,
      );
    case 'maybe':
      return value === null ? undefined : faultOf(form.of, value, at);
    case 'list':
      if (!Array.isArray(value) || value.length > form.max)
        return unless(false, `a list of at most ${form.max} values`);
      return firstOf(value, (each, i) => faultOf(form.of, each, `${at}/${i}`));
    case 'object':
      return isObject(value) ? objectFault(form.fields, value, at) : unless(false, 'an object');
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isText({ max, pattern }: { max: number; pattern?: string }, value: unknown): boolean {
  if (typeof value !== 'string' || value.length > max) return false;
  return pattern === undefined || new RegExp(`^(?:${pattern})$`, 'u').test(value);
}

const textWords = ({ max, pattern }: { max: number; pattern?: string }): string =>
  pattern === undefined
    ? `a text of at most ${max} characters`
    : `a text of at most ${max} characters that matches ${pattern}`;

function objectFault(
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  at: string,
): string | undefined {
  const names = Object.keys(value);
  const unknown = names.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `${at}/${unknown.slice(0, 100)}: unknown field`;
  const declared = Object.keys(fields);
  const missing = declared.find((name) => !fields[name]?.optional && !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}/${missing}: missing`;
  const order = declared.filter((name) => Object.hasOwn(value, name));
  if (order.some((name, i) => name !== names[i]))
    return `${at || '/'}: the fields must be in the order ${order.join(', ')}`;
  return firstOf(names, (name) => {
    const form = fields[name];
    return form && faultOf(form, value[name], `${at}/${name}`);
  });
}

function firstOf<T>(
  values: readonly T[],
  faultAt: (value: T, i: number) => string | undefined,
): string | undefined {
  for (const [i, value] of values.entries()) {
    const fault = faultAt(value, i);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema of a form. Unknown fields are refused. */
export function schemaOf(form: FileForm<unknown>): JsonSchema {
  switch (form.is) {
    case 'text':
      return {
        type: 'string',
        maxLength: form.max,
        ...(form.pattern === undefined ? {} : { pattern: `^(?:${form.pattern})$` }),
      };
    case 'count':
      return { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return { enum: form.of };
    case 'maybe':
      return { anyOf: [schemaOf(form.of), { type: 'null' }] };
    case 'list':
      return { type: 'array', maxItems: form.max, items: schemaOf(form.of) };
    case 'object': {
      const fields = Object.entries(form.fields);
      return {
        type: 'object',
        additionalProperties: false,
        required: fields.filter(([, each]) => !each.optional).map(([name]) => name),
        properties: Object.fromEntries(fields.map(([name, each]) => [name, schemaOf(each)])),
      };
    }
  }
}
