import { REPORTS } from '#audit';
import { integerForm, MAX_DECKS, recordForm, textForm, type Form } from '#baccarat';
import { BCC_READINGS } from '#devices';

const ADDRESS = '^(\\[[0-9A-Fa-f:.]+\\]|[0-9.]+):[0-9]{1,5}$';
const MIB_OF_1_TIB = 1_048_576;
const YEAR_OF_DAYS = 365;

const addressForm = (description: string): Form => ({
  description: `${description} An IP address and a port, such as "127.0.0.1:7301" or "[::1]:7301".`,
  type: 'string',
  pattern: ADDRESS,
});

const pathForm = (description: string): Form => ({
  description: `${description} A path that begins with "/".`,
  type: 'string',
  pattern: '^/[^\\u0000]*$',
});

/** The kinds of port, each by the member that names it. */
export const PORT_FORMS = {
  serial: recordForm('A serial port.', {
    serial: pathForm('The device file, best its name in /dev/serial/by-id.'),
    baud: integerForm(300, 4_000_000, 'The bits per second of the line.'),
  }),
  listen: recordForm(
    'A TCP port at which the device connects to the gateway.',
    {
      listen: addressForm('Where the gateway listens.'),
      from: {
        description: 'The addresses and networks from which devices may connect.',
        type: 'array',
        items: {
          description: 'an IP address or a network, such as "10.0.7.20" or "10.0.7.0/28"',
          type: 'string',
          pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$',
        },
        minItems: 1,
        uniqueItems: true,
      },
    },
    ['from'],
  ),
  connect: recordForm('A TCP server, such as a device server, to which the gateway connects.', {
    connect: {
      description: 'a host and a port, such as "10.0.7.20:4001"',
      type: 'string',
      pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[0-9A-Za-z](\\.?[0-9A-Za-z-]+)*):[0-9]{1,5}$',
    },
  }),
} as const satisfies Readonly<Record<string, Form>>;

const PORT: Form = {
  description: 'Where the device is connected.',
  oneOf: Object.values(PORT_FORMS),
};

const NAME: Form = {
  description:
    '1 to 64 letters, digits, dots, hyphens and underscores. It begins with a letter or a digit. The source of the device is "device/" and this name.',
  type: 'string',
  pattern: '^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$',
};

/** The protocols of devices, each with the form of a device that speaks it. */
export const DEVICE_FORMS = {
  'angel-eye-ii-ex': recordForm(
    'A shoe that sends the frames of angel-eye-ii-ex. The gateway only listens to it.',
    {
      name: NAME,
      protocol: { description: 'The protocol.', const: 'angel-eye-ii-ex' },
      port: PORT,
      sequence: {
        description: '"unknown", or the sequence characters in their order',
        type: 'string',
        pattern: '^(unknown|(?:([!-~])(?!.*\\1)){2,94})$',
      },
      bcc: {
        description: 'How the shoe computes its check. "learn" settles it from the first frames.',
        enum: ['learn', ...BCC_READINGS],
      },
      pairs: { description: 'Whether results announce pairs.', type: 'boolean' },
    },
    ['sequence', 'bcc', 'pairs'],
  ),
  'line-1': recordForm(
    'A device that speaks line protocol 1.',
    {
      name: NAME,
      protocol: { description: 'The protocol.', const: 'line-1' },
      port: PORT,
      listenOnly: {
        description: 'Whether the device cannot hear the gateway.',
        type: 'boolean',
      },
    },
    ['listenOnly'],
  ),
} as const satisfies Readonly<Record<string, Form>>;

const OPENS = recordForm('Who opens shoes, and what no device knows about a shoe.', {
  when: {
    description:
      '"line": a device on line protocol 1 opens shoes. "first-card": the gateway opens one at the first card while none is open. It cannot tell a new shoe.',
    enum: ['line', 'first-card'],
  },
  rules: {
    description: 'a rule document, such as "punto-banco@1"',
    type: 'string',
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*@[1-9][0-9]{0,5}$',
  },
  decks: integerForm(
    1,
    MAX_DECKS,
    'The decks of a shoe that the gateway opens. A device that opens shoes says its own number.',
  ),
  currency: {
    description: 'a currency code of ISO 4217, such as "MOP"',
    type: 'string',
    pattern: '^[A-Z]{3}$',
  },
  reports: {
    description:
      'The kinds of fact that this table reports. The absence of a fact is held against a dealer only if its kind is listed.',
    type: 'array',
    items: { description: 'A kind of fact.', enum: [...REPORTS] },
    uniqueItems: true,
  },
});

/** The form of a gateway's configuration, published as docs/integrating/gateway.schema.json. */
export const CONFIGURATION_FORM: Form = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Gateway configuration',
  ...recordForm(
    'One table and its devices.',
    {
      table: {
        description:
          'The id of the table: 1 to 64 characters without spaces. It does not begin with "@".',
        type: 'string',
        pattern: '^(?!@)[^\\s\\p{Cc}\\p{Cs}]{1,64}$',
      },
      api: recordForm(
        'The api that the gateway delivers to.',
        {
          url: textForm('Its address: https, or http on this machine.'),
          keyFile: pathForm('A file with the api key, which other users cannot read.'),
          ca: pathForm(
            'A file with the certificates in PEM that the certificate of the api needs.',
          ),
        },
        ['ca'],
      ),
      spool: recordForm(
        'Where frames are kept until they are delivered.',
        {
          folder: pathForm('A folder of its own for each gateway.'),
          capMiB: integerForm(64, MIB_OF_1_TIB, 'The most MiB on disk. Default: 2048.'),
          keepDays: integerForm(0, YEAR_OF_DAYS, 'Days to keep what is delivered. Default: 7.'),
        },
        ['capMiB', 'keepDays'],
      ),
      opens: OPENS,
      coups: {
        description:
          '"shoe": the gateway opens coups for a shoe that reports none. "line": a device on line protocol 1 opens them.',
        enum: ['shoe', 'line'],
      },
      devices: {
        description: 'The devices of the table.',
        type: 'array',
        items: {
          description: 'A device, by its protocol.',
          oneOf: Object.values(DEVICE_FORMS),
        },
        minItems: 1,
        maxItems: 16,
      },
      health: recordForm('Where the gateway answers probes.', {
        listen: addressForm('Where it listens.'),
      }),
    },
    ['health'],
  ),
};
