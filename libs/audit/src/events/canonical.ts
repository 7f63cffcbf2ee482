import { SHAPES, type AnyEvent, type EventType } from './events.js';
import { memberText, minify } from '../decode/json-text.js';
import { fullName } from './upcast.js';

type Json = Readonly<Record<string, unknown>>;

/** The attributes of an event's content, in canonical order. */
const CONTENT = [
  'specversion',
  'type',
  'source',
  'id',
  'time',
  'table',
  'shoe',
  'session',
  'sequence',
] as const;

/**
 * Returns the content of a well-formed event: its canonical line without the api's stamps.
 * Attributes and data fields are in the order of contract section 2, without spaces. `text` is the
 * event as sent, `null` if JSON.stringify writes the same: if a correction carries data of another
 * type, its members keep the sender's order, which only the text has.
 */
export function canonicalContent(value: Json, type: EventType, text: string | null): string {
  const parts: string[] = [];
  for (const name of CONTENT)
    if (Object.hasOwn(value, name)) parts.push(`"${name}":${JSON.stringify(value[name])}`);
  return `{${parts.join(',')},"data":${canonicalData(type, value, text)}}`;
}

/**
 * Returns the content of an event as it was recorded, written back from what the fold holds. It
 * does not depend on how a sender ordered or spaced the event.
 */
export function contentOf(event: AnyEvent): string {
  const { source, id, time, table, shoe, session, sequence } = event;
  const given = { source, id, time, table, shoe, session, sequence };
  let content = `{"specversion":"1.0","type":"${fullName(event.type)}"`;
  for (const name of CONTENT) {
    const value = given[name as keyof typeof given];
    if (value !== undefined) content += `,"${name}":${JSON.stringify(value)}`;
  }
  return `${content},"data":${canonicalData(event.type, event as unknown as Json, null)}}`;
}

/** Returns the data of a well-formed event as in its canonical line. */
export function canonicalData(type: EventType, value: Json, text: string | null): string {
  const data = value.data as Json;
  const parts: string[] = [];
  for (const [name, field] of Object.entries(SHAPES[type].fields)) {
    if (!Object.hasOwn(data, name)) continue;
    let written: string;
    if (field.is === 'limits') written = limitsText(data[name] as Json);
    else if (field.is === 'object' && text !== null)
      written = minify(memberText(memberText(text, 'data') as string, name) as string);
    else written = JSON.stringify(data[name]);
    parts.push(`"${name}":${written}`);
  }
  return `{${parts.join(',')}}`;
}

const limitsText = (limits: Json): string =>
  `{${Object.entries(limits)
    .map(([bet, limit]) => `${JSON.stringify(bet)}:${JSON.stringify(limit, ['min', 'max'])}`)
    .join(',')}}`;
