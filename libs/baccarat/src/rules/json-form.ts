import { isRecord, pointerTo } from './json-pointer.js';

/** One problem of a JSON document: its JSON pointer, and a plain sentence. */
export interface LintProblem {
  readonly pointer: string;
  readonly problem: string;
}

type Scalar = string | number | boolean;

/**
 * The part of JSON Schema 2020-12 that this library's forms use. Each form is published as a
 * schema.
 */
export interface Form {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Form;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Form | false;
  readonly propertyNames?: { readonly pattern: string };
  readonly minProperties?: number;
  readonly oneOf?: readonly Form[];
}

/**
 * Returns the form problems of `value`, whose JSON pointer is `pointer`. Accepts exactly what a
 * JSON Schema validator accepts, and explains each refusal in words. Never throws on a JSON value,
 * whatever its size or depth.
 */
export function formProblems(value: unknown, form: Form, pointer = ''): LintProblem[] {
  if (form.oneOf) return choiceProblems(value, form, pointer);
  const wrong = scalarProblem(value, form);
  if (wrong !== undefined) return [{ pointer, problem: wrong }];
  if (Array.isArray(value)) return listProblems(value, form, pointer);
  if (isRecord(value) && form.type === 'object') return recordProblems(value, form, pointer);
  return [];
}

/**
 * Returns whether these fields of a document have no problem, so that what they say can be checked.
 */
export const isSound = (
  document: unknown,
  problems: readonly LintProblem[],
  fields: readonly string[],
): boolean =>
  isRecord(document) &&
  fields.every(
    (field) =>
      !problems.some(({ pointer }) => pointer === `/${field}` || pointer.startsWith(`/${field}/`)),
  );

/**
 * Returns the problem of a scalar, or of the kind of a list or an object, or `undefined` if it
 * has none.
 */
function scalarProblem(value: unknown, form: Form): string | undefined {
  if (form.type && !isOfType(value, form.type))
    return `is ${kindOf(value)} and should be ${KINDS[form.type]}`;
  if (form.const !== undefined && value !== form.const) return `should be ${show(form.const)}`;
  if (form.enum && !form.enum.includes(value as Scalar))
    return `is ${show(value)} and should be one of ${form.enum.map(show).join(', ')}`;
  if (
    typeof value === 'string' &&
    form.pattern !== undefined &&
    !new RegExp(form.pattern, 'u').test(value)
  ) {
    return `is ${show(value)}, which is not of the form: ${form.description ?? form.pattern}`;
  }
  return typeof value === 'number' ? boundProblem(value, form) : undefined;
}

function boundProblem(value: number, { minimum, maximum }: Form): string | undefined {
  if (minimum !== undefined && value < minimum)
    return `is ${value} and should be at least ${minimum}`;
  if (maximum !== undefined && value > maximum)
    return `is ${value} and should be at most ${maximum}`;
  return undefined;
}

function listProblems(list: readonly unknown[], form: Form, pointer: string): LintProblem[] {
  const problems = list.flatMap((item, i) =>
    form.items ? formProblems(item, form.items, pointerTo(pointer, i)) : [],
  );
  if (form.minItems !== undefined && list.length < form.minItems)
    problems.push({
      pointer,
      problem: `has ${list.length} entries and should have at least ${form.minItems}`,
    });
  if (form.maxItems !== undefined && list.length > form.maxItems)
    problems.push({
      pointer,
      problem: `has ${list.length} entries and should have at most ${form.maxItems}`,
    });
  // Only valid entries are compared. Their depth is that of the form, so serializing them is safe.
  if (form.uniqueItems === true && problems.length === 0) {
    const seen = new Set<string>();
    for (const [i, item] of list.entries()) {
      const text = canonical(item);
      if (seen.has(text))
        problems.push({ pointer: pointerTo(pointer, i), problem: 'repeats an earlier entry' });
      seen.add(text);
    }
  }
  return problems;
}

function recordProblems(
  record: Readonly<Record<string, unknown>>,
  form: Form,
  pointer: string,
): LintProblem[] {
  const problems: LintProblem[] = [];
  for (const name of form.required ?? []) {
    if (!Object.hasOwn(record, name))
      problems.push({ pointer: pointerTo(pointer, name), problem: 'is missing' });
  }
  const names = Object.keys(record);
  if (form.minProperties !== undefined && names.length < form.minProperties)
    problems.push({ pointer, problem: 'is empty' });
  for (const name of names) {
    const at = pointerTo(pointer, name);
    const member =
      form.properties && Object.hasOwn(form.properties, name)
        ? form.properties[name]
        : form.additionalProperties;
    if (form.propertyNames && !new RegExp(form.propertyNames.pattern, 'u').test(name))
      problems.push({
        pointer: at,
        problem: `has a name that is not of the form ${form.propertyNames.pattern}`,
      });
    else if (member === false)
      problems.push({ pointer: at, problem: 'is not a field of this document' });
    else if (member) problems.push(...formProblems(record[name], member, at));
  }
  return problems;
}

/** Reports the problems of the choice that the value's fixed member selects. */
function choiceProblems(value: unknown, form: Form, pointer: string): LintProblem[] {
  const choices = form.oneOf ?? [];
  const tried = choices.map((choice) => formProblems(value, choice, pointer));
  if (tried.some((problems) => problems.length === 0)) return [];
  const meant = choices.findIndex(
    (choice) => (choice.type === 'array' && Array.isArray(value)) || namesItself(value, choice),
  );
  return meant >= 0
    ? (tried[meant] as LintProblem[])
    : [
        {
          pointer,
          problem: `must be one of these forms: ${form.description ?? 'see the schema'}`,
        },
      ];
}

/** Returns whether the value has the constants that `choice` fixes. */
function namesItself(value: unknown, choice: Form): boolean {
  const fixed = Object.entries(choice.properties ?? {}).filter(
    ([, member]) => member.const !== undefined,
  );
  return (
    isRecord(value) &&
    fixed.length > 0 &&
    fixed.every(([name, member]) => Object.hasOwn(value, name) && value[name] === member.const)
  );
}

function isOfType(value: unknown, type: NonNullable<Form['type']>): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
  }
}

const KINDS: Readonly<Record<NonNullable<Form['type']>, string>> = {
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
};

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : value === null || value === undefined
      ? 'nothing'
      : typeof value === 'object'
        ? 'an object'
        : show(value);

/** Formats a value for a message: short, and never a structure. */
function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

/** Serializes a JSON value with members sorted by name, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return value === undefined ? 'null' : JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined);
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
