import {
  CURRENCIES,
  type EventType,
  fullName,
  REMARK_MAX,
  REVIEW_TYPES,
  SENT_TYPES,
  SHAPES,
} from '#audit';
import { TABLE_BYTES_MAX } from './request-events.js';

/** A JSON Schema, of the draft that AsyncAPI 3 uses and of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const whole = (minimum: number, maximum = INTEGER_MAX): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
});

/** No string of an event may contain NUL. */
const WITHOUT_NUL = '^[^\\u0000]*$';

/** The fields of an object of any JSON. */
const ANY_FIELDS: JsonSchema = {
  patternProperties: { [WITHOUT_NUL]: ref('json') },
  additionalProperties: false,
};

/** The schemas of the kinds of field that `SHAPES` names. */
export const FIELD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', minLength: 1, pattern: WITHOUT_NUL },
  text: { type: 'string', pattern: WITHOUT_NUL },
  amount: {
    ...whole(0),
    description: "A whole number; of money, in the minor unit of the shoe's currency.",
  },
  ordinal: whole(1),
  total: { ...whole(0, 9), description: "A hand's points." },
  flag: { type: 'boolean' },
  card: {
    type: 'string',
    pattern: '^[A23456789TJQK][SHDC]$',
    description: 'Rank, then suit: 9S, TD.',
  },
  'card-or-unread': {
    type: ['string', 'null'],
    pattern: '^[A23456789TJQK][SHDC]$',
    description: 'A card; null where it was drawn and could not be read.',
  },
  'count-or-unknown': {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: INTEGER_MAX,
    description: 'How many; null where it is not known.',
  },
  cards: { type: 'array', items: ref('card') },
  rules: {
    type: 'string',
    pattern: '@[0-9]+$',
    description: 'A rule document that is installed: id@version.',
  },
  bet: {
    type: 'string',
    minLength: 1,
    description: 'A bet id of the contract or of an installed rule document.',
  },
  currency: {
    type: 'string',
    pattern: `^(${[...CURRENCIES].join('|')})$`,
    description: 'ISO 4217.',
  },
  names: { type: 'array', items: ref('id') },
  limits: {
    type: 'object',
    description: 'By bet id.',
    propertyNames: ref('bet'),
    additionalProperties: {
      type: 'object',
      required: ['min', 'max'],
      additionalProperties: false,
      properties: { min: ref('amount'), max: ref('amount') },
    },
  },
  object: { type: 'object', ...ANY_FIELDS },
  json: {
    type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
    description: 'Any JSON whose strings have no NUL and whose numbers are at most 2^53 - 1.',
    ...ANY_FIELDS,
    items: ref('json'),
    pattern: WITHOUT_NUL,
    minimum: -INTEGER_MAX,
    maximum: INTEGER_MAX,
  },
  code: {
    type: ['string', 'integer'],
    pattern: WITHOUT_NUL,
    minimum: -INTEGER_MAX,
    maximum: INTEGER_MAX,
  },
  remark: { type: 'string', minLength: 1, maxLength: REMARK_MAX, pattern: WITHOUT_NUL },
  digest: {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description: 'A SHA-256 in hexadecimal digits.',
  },
  policy: {
    type: 'string',
    pattern: '@[0-9]+$',
    description: 'A review policy that is installed: id@version.',
  },
  time: { type: 'string', format: 'date-time', description: 'RFC 3339, as it was sent.' },
  source: {
    type: 'string',
    pattern: '^(device|person|virtual|system)/[^\\u0000]+$',
    description: 'Who reported it.',
  },
};

/**
 * Returns the schema of the data of an event type, in terms of `FIELD_SCHEMAS`: of all fields, or
 * of these.
 */
export function dataSchema(
  type: EventType,
  names: readonly string[] = Object.keys(SHAPES[type].fields),
): JsonSchema {
  const { fields, optional } = SHAPES[type];
  const required = names.filter((name) => !(optional as readonly string[]).includes(name));
  const properties = Object.entries<FieldShape>(fields)
    .filter(([name]) => names.includes(name))
    .map(([name, field]) => [name, fieldSchema(field)]);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(names.length > 0 && { properties: Object.fromEntries(properties) as JsonSchema }),
  };
}

interface FieldShape {
  readonly is: string;
  readonly values?: readonly (string | null)[];
  readonly from?: number;
  readonly to?: number;
}

function fieldSchema({ is, values = [], from = 0, to }: FieldShape): JsonSchema {
  if (is === 'whole') return whole(from, to);
  if (is === 'one-of') return { enum: [...values] };
  if (is === 'some-of') return { type: 'array', items: { enum: [...values] } };
  if (!Object.hasOwn(FIELD_SCHEMAS, is)) throw new Error(`no schema for a field that is ${is}`);
  return ref(is);
}

/**
 * Returns the attributes of an event of one type without stamps, in canonical order, and the names
 * of those that it must have.
 */
export function attributesOf(type: EventType): {
  readonly required: readonly string[];
  readonly properties: JsonSchema;
} {
  const shoe = SHAPES[type].shoe ? ['shoe'] : [];
  const isReview = SHAPES[type].by === 'reviewer';
  return {
    required: ['specversion', 'type', 'source', 'id', 'time', 'table', ...shoe, 'data'],
    properties: {
      specversion: { const: '1.0' },
      type: { const: fullName(type) },
      source: isReview ? { type: 'string', pattern: '^person/[^\\u0000]+$' } : ref('source'),
      id: ref('id'),
      time: ref('time'),
      table: ref('id'),
      ...(!isReview && { shoe: ref('id'), session: ref('id'), sequence: ref('ordinal') }),
      data: dataSchema(type),
    },
  };
}

const TRACE: JsonSchema = {
  type: 'string',
  pattern: WITHOUT_NUL,
  description: 'Accepted but not stored',
};

/** Returns the schema of an event of one type as it is sent, without stamps. */
function sentSchema(type: EventType): JsonSchema {
  const { required, properties } = attributesOf(type);
  return {
    type: 'object',
    required,
    additionalProperties: false,
    dependentRequired: { session: ['sequence'], sequence: ['session'] },
    properties: {
      ...properties,
      table: {
        ...FIELD_SCHEMAS.id,
        maxLength: TABLE_BYTES_MAX,
        description: `At most ${TABLE_BYTES_MAX} bytes of UTF-8.`,
      },
      datacontenttype: { const: 'application/json', description: 'Accepted but not stored' },
      traceparent: TRACE,
      tracestate: TRACE,
    },
  };
}

/** Returns the schemas of fields that some schemas refer to, directly or through one another. */
function fieldsIn(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const names = new Set<string>();
  const seek = (schema: JsonSchema): void => {
    for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const field = name === undefined ? undefined : FIELD_SCHEMAS[name];
      if (!field || names.has(name as string)) continue;
      names.add(name as string);
      seek(field);
    }
  };
  for (const schema of Object.values(schemas)) seek(schema);
  return Object.fromEntries(Object.entries(FIELD_SCHEMAS).filter(([name]) => names.has(name)));
}

/** The schemas of the kinds of field that acts on findings have. */
export const ACT_FIELD_SCHEMAS = fieldsIn(
  Object.fromEntries(REVIEW_TYPES.map((type) => [type, dataSchema(type)])),
);

const SENT = Object.fromEntries(SENT_TYPES.map((type) => [type, sentSchema(type)]));

/** The schemas of an event as it is sent: `TableEvent`, and what it refers to. */
export const SENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...fieldsIn(SENT),
  ...SENT,
  TableEvent: {
    description: 'A table event; its data depends on its type',
    oneOf: SENT_TYPES.map(ref),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        SENT_TYPES.map((type) => [fullName(type), `#/components/schemas/${type}`]),
      ),
    },
  },
};
