import type { Reported, ReportedEvent } from '../observation.js';
import {
  card,
  escaped,
  FieldProblem,
  oneOf,
  text,
  unescaped,
  whole,
  type FieldKind,
} from './fields.js';

type Named = readonly [name: string, kind: FieldKind];
/**
 * The fields of a code. A group of optional fields is there whole or not at all, and only if the
 * group before it is. `rest` takes all fields behind the groups.
 */
interface Form {
  readonly type: keyof Reported;
  readonly required: readonly Named[];
  readonly optional?: readonly (readonly Named[])[];
  readonly rest?: Named;
  /** Fields of the event that every line of this code means. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

const HANDS = { P: 'player', B: 'banker' };
const count = whole(0);
const ordinal = whole(1);
const total = whole(0, 9);
const COUP_KINDS = { N: 'normal', D: 'dummy', X: 'demonstration', F: 'free' };
const REASONS = {
  'cut-card': 'cut-card',
  operator: 'operator',
  error: 'error',
  end: 'end',
};

/** The codes of events, in the order of docs/devices/line-protocol-1.md. */
const FORMS: Readonly<Record<string, Form>> = {
  ON: { type: 'device-online', required: [['firmware', text]], optional: [[['missed', count]]] },
  OF: { type: 'device-offline', required: [] },
  SO: {
    type: 'shoe-opened',
    required: [
      ['shoe', text],
      ['decks', ordinal],
    ],
  },
  SC: {
    type: 'shoe-closed',
    required: [['reason', oneOf(REASONS)]],
    optional: [[['remaining', count]]],
  },
  CC: { type: 'cut-card-drawn', required: [] },
  CO: {
    type: 'coup-opened',
    required: [['coup', ordinal]],
    optional: [[['kind', oneOf(COUP_KINDS)]]],
  },
  BC: { type: 'betting-closed', required: [] },
  CL: { type: 'coup-closed', required: [] },
  CV: { type: 'coup-voided', required: [['reason', text]] },
  CD: {
    type: 'card-drawn',
    required: [
      ['card', card],
      ['to', oneOf({ ...HANDS, U: 'burn', O: 'out', '-': null })],
    ],
    optional: [[['exposed', oneOf({ X: true })]]],
  },
  CM: {
    type: 'card-moved',
    required: [
      ['number', ordinal],
      ['to', oneOf({ ...HANDS, U: 'burn', D: 'discard', N: 'next' })],
    ],
  },
  HC: {
    type: 'hand-called',
    required: [
      ['hand', oneOf(HANDS)],
      ['total', total],
    ],
  },
  RS: {
    type: 'outcome-declared',
    required: [['outcome', oneOf({ ...HANDS, T: 'tie' })]],
    optional: [
      [
        ['player', total],
        ['banker', total],
      ],
    ],
    rest: ['specials', text],
    fixed: { by: 'device' },
  },
  ER: { type: 'device-error', required: [['code', text]], optional: [[['text', text]]] },
  EC: { type: 'device-error-cleared', required: [['code', text]] },
  DS: {
    type: 'device-setting-changed',
    required: [
      ['code', text],
      ['text', text],
    ],
  },
};
const CODES = Object.entries(FORMS);

/** Returns the event of a code and its fields as they stand in a line. Throws `FieldProblem`. */
export function readEvent(code: string, fields: readonly string[]): ReportedEvent {
  const form = Object.hasOwn(FORMS, code) ? FORMS[code] : undefined;
  if (form === undefined)
    throw new FieldProblem(`code: "${code}" is not a code of line protocol 1`);
  const { named, rest } = layOut(form, fields, code);
  const data: Record<string, unknown> = {};
  for (const [at, [name, kind]] of named.entries()) data[name] = readField(fields[at], name, kind);
  if (form.rest && rest.length > 0) {
    const [name, kind] = form.rest;
    data[name] = rest.map((field) => readField(field, name, kind));
  }
  return { type: form.type, data: { ...data, ...form.fixed } } as ReportedEvent;
}

const readField = (field = '', name: string, kind: FieldKind): unknown =>
  kind.read(unescaped(field, name), name);

/** Returns which fields are there, and those that `rest` takes. */
function layOut({ required, optional = [], rest }: Form, fields: readonly string[], code: string) {
  const missing = required[fields.length];
  if (missing) throw new FieldProblem(`${missing[0]}: is missing`);
  const named = [...required];
  for (const group of optional) {
    const there = fields.length - named.length;
    if (there <= 0) break;
    const absent = group[there];
    if (absent) throw new FieldProblem(`${absent[0]}: is missing`);
    named.push(...group);
  }
  const others = fields.slice(named.length);
  if (others.length > 0 && rest === undefined)
    throw new FieldProblem(
      `${code}: has ${fields.length} fields, and at most ${named.length} are known`,
    );
  return { named, rest: others };
}

/** Returns the code and the fields of an event as they stand in a line. */
export function writeEvent({ type, data }: ReportedEvent): readonly string[] {
  const [code, form] = CODES.find(([, each]) => each.type === type) as [string, Form];
  const values = data as Readonly<Record<string, unknown>>;
  const { required, optional = [], rest } = form;
  const groups = [required, ...optional.filter(([first]) => first && isThere(values[first[0]]))];
  const fields = groups.flatMap((group) => group.map(([name, kind]) => kind.write(values[name])));
  const others = rest ? ((values[rest[0]] as readonly string[] | undefined) ?? []) : [];
  return [code, ...fields, ...others].map(escaped);
}

/** `missed` is written only where it is known, and `exposed` only where it is true. */
const isThere = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false;
