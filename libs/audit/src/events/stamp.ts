import { timeOf } from './time.js';

/**
 * How a stamped line ends: the api's two stamps and the closing brace. `receivedFrom` is the authenticated identity,
 * `receivedTime` the server's time, RFC 3339. Throws where the line could not be read again: without a name, with NUL or a
 * lone surrogate in it, or with a time that is none.
 */
export function stampsOf(receivedFrom: string, receivedTime: string): string {
  if (receivedFrom === '' || receivedFrom.includes('\0') || /\p{Surrogate}/u.test(receivedFrom))
    throw new Error(`${JSON.stringify(receivedFrom)} cannot stand as receivedfrom`);
  if (timeOf(receivedTime) === undefined)
    throw new Error(`${JSON.stringify(receivedTime)} cannot stand as receivedtime`);
  return `,"receivedfrom":${JSON.stringify(receivedFrom)},"receivedtime":${JSON.stringify(receivedTime)}}`;
}

/** The line as it is appended: an event's content with the api's stamps as its last two attributes. */
export const stamped = (content: string, receivedFrom: string, receivedTime: string): string =>
  content.slice(0, -1) + stampsOf(receivedFrom, receivedTime);
