// What the validator checks of an event, as far as a JSON schema can express it. Made from the same
// table (SHAPES).
import { EVENT_TYPES, fullName, SHAPES } from '#audit';
import { CARDS } from '#baccarat';

const id = { type: 'string', minLength: 1 };
/** @type {(minimum: number, maximum?: number) => object} */
const whole = (minimum, maximum = Number.MAX_SAFE_INTEGER) => ({
  type: 'integer',
  minimum,
  maximum,
});

/** @type {Readonly<Record<Exclude<import('#audit').Field['is'], 'one-of' | 'some-of' | 'whole'>, object>>} */
const FIELDS = {
  id,
  rules: id,
  bet: id,
  text: { type: 'string' },
  code: { type: ['string', 'integer'] },
  amount: whole(0),
  ordinal: whole(1),
  total: whole(0, 9),
  flag: { type: 'boolean' },
  card: { enum: CARDS },
  'card-or-unread': { enum: [...CARDS, null] },
  'count-or-unknown': { ...whole(0), type: ['integer', 'null'] },
  cards: { type: 'array', items: { enum: CARDS } },
  names: { type: 'array', items: id },
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  limits: { type: 'object' },
  object: { type: 'object' },
  remark: { type: 'string', minLength: 1, maxLength: 4000 },
  time: { type: 'string', format: 'date-time' },
  digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  policy: id,
};

/** @type {(field: import('#audit').Field) => object} */
function fieldSchema(field) {
  if (field.is === 'one-of') return { enum: field.values };
  if (field.is === 'some-of') return { type: 'array', items: { enum: field.values } };
  if (field.is === 'whole') return whole(field.from, field.to);
  return FIELDS[field.is];
}

const ATTRIBUTES = {
  specversion: { const: '1.0' },
  source: { type: 'string', pattern: '^(device|person|virtual|system)/.' },
  id,
  time: { type: 'string', format: 'date-time' },
  table: id,
  shoe: id,
  session: id,
  sequence: whole(1),
  datacontenttype: { const: 'application/json' },
  traceparent: { type: 'string' },
};
const REQUIRED = ['specversion', 'type', 'source', 'id', 'time', 'table', 'data'];

/** @param {import('#audit').EventType} type */
function eventSchema(type) {
  const { shoe, optional } = SHAPES[type];
  /** @type {Readonly<Record<string, import('#audit').Field>>} */
  const fields = SHAPES[type].fields;
  const names = Object.keys(fields);
  return {
    type: 'object',
    required: [...REQUIRED, ...(shoe ? ['shoe'] : [])],
    dependentRequired: { session: ['sequence'], sequence: ['session'] },
    properties: {
      ...ATTRIBUTES,
      type: { const: fullName(type) },
      data: {
        type: 'object',
        required: names.filter(
          (name) => !(/** @type {readonly string[]} */ (optional).includes(name)),
        ),
        properties: Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]),
        ),
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  };
}

/** The schema of one event of any type, selected by `type` as fast as ajv can. */
export const EVENT_SCHEMA = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: EVENT_TYPES.map(eventSchema),
};

/** The schema of one event's attributes, without its data: the least that deserves the name. */
export const LIGHT_SCHEMA = {
  type: 'object',
  required: REQUIRED,
  properties: { ...ATTRIBUTES, type: id, data: { type: 'object' } },
  additionalProperties: false,
};
