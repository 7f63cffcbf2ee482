import type { Form } from './json-form.js';

/** Returns the form of a text that is not blank. */
export const textForm = (description: string): Form => ({
  description,
  type: 'string',
  pattern: '\\S',
});

/** Returns the form of a whole number within bounds. */
export const integerForm = (minimum: number, maximum: number, description: string): Form => ({
  description,
  type: 'integer',
  minimum,
  maximum,
});

/** Returns the form of an object with exactly these members, of which some are optional. */
export const recordForm = (
  description: string,
  properties: Readonly<Record<string, Form>>,
  optional: readonly string[] = [],
): Form => ({
  description,
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

/** Returns the form of a list without repeated entries. */
export const listForm = (description: string, items: Form, minItems = 1): Form => ({
  description,
  type: 'array',
  items,
  minItems,
  uniqueItems: true,
});
