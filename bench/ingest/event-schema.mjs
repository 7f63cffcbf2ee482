// What the validator checks of an event, as far as a JSON schema can express it. Made from the same
// table (SHAPES).
import { EVENT_TYPES, fullName, SHAPES } from '#audit';
import { CARDS } from '#baccarat';

const id = { type: 'string', minLength: 1 };
const whole = (minimum, maximum = Number.MAX_SAFE_INTEGER) => ({
  type: 'integer',
  minimum,
  maximum,
});

function fieldSchema(field) {
  switch (field.is) {
    case 'id':
    case 'rules':
    case 'bet':
      return id;
    case 'text':
      return { type: 'string' };
    case 'code':
      return { type: ['string', 'integer'] };
    case 'amount':
      return whole(0);
    case 'ordinal':
      return whole(1);
    case 'total':
      return whole(0, 9);
    case 'flag':
      return { type: 'boolean' };
    case 'card':
      return { enum: CARDS };
    case 'card-or-unread':
      return { enum: [...CARDS, null] };
    case 'cards':
      return { type: 'array', items: { enum: CARDS } };
    case 'names':
      return { type: 'array', items: id };
    case 'currency':
      return { type: 'string', pattern: '^[A-Z]{3}$' };
    case 'limits':
    case 'object':
      return { type: 'object' };
    case 'one-of':
      return { enum: field.values };
    case 'some-of':
      return { type: 'array', items: { enum: field.values } };
  }
}

function eventSchema(type) {
  const { shoe, fields, optional } = SHAPES[type];
  const names = Object.keys(fields);
  return {
    type: 'object',
    required: [
      'specversion',
      'type',
      'source',
      'id',
      'time',
      'table',
      'data',
      ...(shoe ? ['shoe'] : []),
    ],
    dependentRequired: { session: ['sequence'], sequence: ['session'] },
    properties: {
      specversion: { const: '1.0' },
      type: { const: fullName(type) },
      source: { type: 'string', pattern: '^(device|person|virtual|system)/.' },
      id,
      time: { type: 'string', format: 'date-time' },
      table: id,
      shoe: id,
      session: id,
      sequence: whole(1),
      datacontenttype: { const: 'application/json' },
      traceparent: { type: 'string' },
      data: {
        type: 'object',
        required: names.filter((name) => !optional.includes(name)),
        properties: Object.fromEntries(names.map((name) => [name, fieldSchema(fields[name])])),
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

/** The schema of one event's attributes without its data: the least that a server must check. */
export const LIGHT_SCHEMA = (() => {
  const { data, ...properties } = eventSchema('cut-card-drawn').properties;
  return {
    type: 'object',
    required: ['specversion', 'type', 'source', 'id', 'time', 'table', 'data'],
    properties: { ...properties, type: id, data: { type: 'object' } },
    additionalProperties: false,
  };
})();
