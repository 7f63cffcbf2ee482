// Writes docs/asyncapi.yaml, the description of the topic, from the table of event shapes that the
// validator uses. Needs a build.
//   node scripts/asyncapi.mjs            writes it
//   node scripts/asyncapi.mjs --print    prints it
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { attributesOf, FIELD_SCHEMAS } from '#api';
import { EVENT_BYTES_MAX, EVENT_TYPES, fullName } from '#audit';
import { RECORD_BYTES_MAX } from '#event-log';
import { stringify } from 'yaml';

const TOPIC = 'shoeprint.table-events.v1';
/** @param {string} name */
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

/**
 * Returns the schema of a stamped line: an event of one type, attributes in their canonical order.
 * @param {import('#audit').EventType} type
 */
function eventSchema(type) {
  const { required, properties } = attributesOf(type);
  return {
    type: 'object',
    required: [...required, 'receivedfrom', 'receivedtime'],
    additionalProperties: false,
    dependencies: { session: ['sequence'], sequence: ['session'] },
    properties: { ...properties, receivedfrom: { ...ref('id') }, receivedtime: ref('time') },
  };
}

const EXAMPLE = {
  specversion: '1.0',
  type: 'shoeprint.card-drawn.v1',
  source: 'device/B07-shoe',
  id: 'B07-shoe/7/42',
  time: '2026-11-20T12:00:00.123Z',
  table: 'B07',
  shoe: 'B07-20261120-3',
  session: '7',
  sequence: 42,
  data: { card: '9S', to: 'player' },
  receivedfrom: 'device/B07-shoe',
  receivedtime: '2026-11-20T12:00:00.140Z',
};

/** @param {import('#audit').EventType} type */
const messageOf = (type) => ({
  name: fullName(type),
  contentType: 'application/cloudevents+json',
  payload: ref(type),
  ...(type === 'card-drawn'
    ? { examples: [{ name: 'a-nine-to-the-player-hand', payload: EXAMPLE }] }
    : {}),
  bindings: {
    kafka: {
      key: { type: 'string', minLength: 1, description: 'The table, as in the event.' },
      bindingVersion: '0.5.0',
    },
  },
});

const ABOUT = [
  'The log of a house: what its tables reported, in the order in which it was recorded.',
  "A record's key is the table, in UTF-8. Its partition is Kafka's own murmur2 hash of the key " +
    'modulo the number of partitions, which never changes. ' +
    "A record's value is one or more canonical lines of that table, one event a line, " +
    `joined by line feeds without a final one, at most ${RECORD_BYTES_MAX} bytes. ` +
    'Live play sends one event a record, bulk loads send blocks. ' +
    `An event's content is at most ${EVENT_BYTES_MAX} bytes. ` +
    'Each message below describes one such line. ' +
    "An event's position is (partition, offset, line). " +
    'The log may contain a record or an event twice: readers take each source#id once.',
  'The attributes have the order given here. The two stamps come last. The api adds them: ' +
    'who sent the event, and when it arrived. ' +
    'The content of an event is its line without the stamps. Schemas describe form. ' +
    'docs/contract.md defines what each event means, and what is refused before it is appended.',
].join('\n\n');

const TOPIC_BINDINGS = {
  kafka: {
    topic: TOPIC,
    replicas: 3,
    topicConfiguration: {
      'cleanup.policy': ['delete'],
      'retention.ms': -1,
      'retention.bytes': -1,
    },
    bindingVersion: '0.5.0',
  },
};

/** Returns the whole document as plain data. */
export function asyncApiDocument() {
  const messages = Object.fromEntries(
    EVENT_TYPES.map((type) => [type, { $ref: `#/components/messages/${type}` }]),
  );
  const channel = { $ref: '#/channels/table-events' };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Shoeprint: table events',
      version: '1.0.0',
      description: ABOUT,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      kafka: {
        host: 'kafka.example:9092',
        protocol: 'kafka',
        description:
          "The house's brokers: replication 3, min.insync.replicas 2, no unclean election.",
      },
    },
    channels: {
      'table-events': {
        address: TOPIC,
        description:
          'Key = table. Kept for ever, never compacted, without transactions, so the offsets of a partition have no holes.',
        messages,
        bindings: TOPIC_BINDINGS,
      },
    },
    operations: {
      append: {
        action: 'send',
        channel,
        summary:
          'The api appends what devices and people report, and the auditor appends gap-declared, both with acks=all.',
      },
      follow: {
        action: 'receive',
        channel,
        summary:
          'Auditors and other readers of the log read each partition in its order, at least once.',
      },
    },
    components: {
      messages: Object.fromEntries(EVENT_TYPES.map((type) => [type, messageOf(type)])),
      schemas: {
        ...FIELD_SCHEMAS,
        ...Object.fromEntries(EVENT_TYPES.map((type) => [type, eventSchema(type)])),
      },
    },
  };
}

/** Returns the text of docs/asyncapi.yaml. */
export const asyncApiText = () =>
  `# Made by scripts/asyncapi.mjs from the table of event shapes in libs/audit; do not edit.\n${stringify(asyncApiDocument(), { lineWidth: 140, aliasDuplicateObjects: false })}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--print')) process.stdout.write(asyncApiText());
  else writeFileSync('docs/asyncapi.yaml', asyncApiText());
}
