import { isCurrency } from '#audit';
import { formProblems, isRecord, isSound, type Form, type LintProblem } from '#baccarat';
import { listenProblems, portProblems, portsUsedTwice } from './addresses.js';
import { gatewayName, type GatewayConfiguration } from './configuration.js';
import { CONFIGURATION_FORM, DEVICE_FORMS, PORT_FORMS } from './configuration-form.js';

/** Devices are checked one by one, so that a problem names the field of the device. */
const AROUND_DEVICES: Form = {
  ...CONFIGURATION_FORM,
  properties: {
    ...CONFIGURATION_FORM.properties,
    devices: { type: 'array', minItems: 1, maxItems: 16 },
  },
};

/**
 * Returns every problem of a JSON value as a gateway's configuration, by JSON pointer: its form
 * (docs/integrating/gateway.schema.json), and what its parts say about each other. Looks at no
 * file. A value without problems is a `GatewayConfiguration`.
 */
export function configurationProblems(json: unknown): readonly LintProblem[] {
  const form = [...formProblems(json, AROUND_DEVICES), ...devicesFormProblems(json)];
  const read = json as GatewayConfiguration;
  const sound = (...fields: readonly (keyof GatewayConfiguration)[]): boolean =>
    isSound(json, form, fields);
  return [
    ...form,
    ...(sound('api') ? urlProblems(read.api.url) : []),
    ...(sound('opens') ? currencyProblems(read.opens) : []),
    ...(sound('health') && read.health ? listenProblems(read.health.listen, '/health/listen') : []),
    ...(sound('table', 'devices') ? nameProblems(read) : []),
    ...(sound('devices') ? read.devices.flatMap(({ port }, i) => portProblems(port, i)) : []),
    ...(sound('devices', 'health') ? portsUsedTwice(read) : []),
    ...(sound('devices', 'coups') ? coupsProblems(read) : []),
    ...(sound('devices', 'opens') ? opensProblems(read) : []),
  ];
}

function devicesFormProblems(json: unknown): LintProblem[] {
  if (!isRecord(json) || !Array.isArray(json.devices)) return [];
  return json.devices.flatMap((device, i) => deviceFormProblems(device, `/devices/${i}`));
}

function deviceFormProblems(device: unknown, at: string): LintProblem[] {
  if (!isRecord(device)) return formProblems(device, { type: 'object' }, at);
  const protocols = Object.keys(DEVICE_FORMS);
  const { protocol } = device;
  if (protocol === undefined) return [{ pointer: `${at}/protocol`, problem: 'is missing' }];
  if (typeof protocol !== 'string' || !protocols.includes(protocol))
    return formProblems(protocol, { enum: protocols }, `${at}/protocol`);
  const form = DEVICE_FORMS[protocol as keyof typeof DEVICE_FORMS];
  const around = { ...form, properties: { ...form.properties, port: { type: 'object' } } } as Form;
  return [...formProblems(device, around, at), ...portFormProblems(device.port, `${at}/port`)];
}

function portFormProblems(port: unknown, at: string): LintProblem[] {
  if (!isRecord(port)) return []; // the form of the device says so
  const kinds = Object.keys(PORT_FORMS) as (keyof typeof PORT_FORMS)[];
  const named = kinds.filter((kind) => Object.hasOwn(port, kind));
  const [kind, other] = named;
  if (kind === undefined || other !== undefined)
    return [{ pointer: at, problem: 'should have exactly one of serial, listen and connect' }];
  return formProblems(port, PORT_FORMS[kind], at);
}

function urlProblems(text: string): LintProblem[] {
  const problem = (words: string): LintProblem[] => [{ pointer: '/api/url', problem: words }];
  if (!URL.canParse(text)) return problem('is not an address, such as "https://audit.example"');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return problem('contains a name or a password, and the key file should have the secret');
  if (url.search !== '' || url.hash !== '') return problem('should end with the path');
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return [];
  return problem('should begin with https://, since the key is sent there');
}

const currencyProblems = ({ currency }: GatewayConfiguration['opens']): LintProblem[] =>
  isCurrency(currency)
    ? []
    : [
        {
          pointer: '/opens/currency',
          problem: `"${currency}" is not a currency code of ISO 4217, such as "MOP"`,
        },
      ];

function nameProblems({ table, devices }: GatewayConfiguration): LintProblem[] {
  const names = devices.map(({ name }) => name);
  return names.flatMap((name, i) => {
    const pointer = `/devices/${i}/name`;
    const first = names.indexOf(name);
    if (first < i)
      return [{ pointer, problem: `"${name}" is the name of device ${first + 1} already` }];
    return name === gatewayName(table)
      ? [{ pointer, problem: `"${name}" is the name under which the gateway itself reports` }]
      : [];
  });
}

const speaks = ({ devices }: GatewayConfiguration, protocol: string): boolean =>
  devices.some((device) => device.protocol === protocol);

function coupsProblems(read: GatewayConfiguration): LintProblem[] {
  const problem = (words: string): LintProblem[] => [{ pointer: '/coups', problem: words }];
  if (read.coups === 'line' && !speaks(read, 'line-1'))
    return problem('is "line", and no device speaks line-1');
  if (read.coups === 'shoe' && !speaks(read, 'angel-eye-ii-ex'))
    return problem(
      'is "shoe", and no device speaks angel-eye-ii-ex: a device on line-1 numbers its own events, so the gateway cannot add a coup to them',
    );
  return [];
}

const opensProblems = (read: GatewayConfiguration): LintProblem[] =>
  read.opens.when === 'line' && !speaks(read, 'line-1')
    ? [{ pointer: '/opens/when', problem: 'is "line", and no device speaks line-1' }]
    : [];
