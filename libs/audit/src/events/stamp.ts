import { timeOf } from './time.js';

/**
 * Returns the end of a stamped line: the api's two stamps and the closing brace. `receivedFrom` is
 * the authenticated identity, `receivedTime` the server's time, RFC 3339. Throws if the line could
 * not be read again: if the name is empty or contains NUL or a lone surrogate, or if the time is
 * invalid.
 */
export function stampsOf(receivedFrom: string, receivedTime: string): string {
  if (receivedFrom === '' || receivedFrom.includes('\0') || /\p{Surrogate}/u.test(receivedFrom))
    throw new Error(`${JSON.stringify(receivedFrom)} is not valid as receivedfrom`);
  if (timeOf(receivedTime) === undefined)
    throw new Error(`${JSON.stringify(receivedTime)} is not valid as receivedtime`);
  return `,"receivedfrom":${JSON.stringify(receivedFrom)},"receivedtime":${JSON.stringify(receivedTime)}}`;
}

/**
 * Returns the line to append: an event's content with the api's stamps as its last two attributes.
 */
export const stamped = (content: string, receivedFrom: string, receivedTime: string): string =>
  content.slice(0, -1) + stampsOf(receivedFrom, receivedTime);

/** A stamped line in its parts. */
export interface StampedLine {
  /** The canonical line without stamps. */
  readonly content: string;
  /** The server's time of receipt, RFC 3339. */
  readonly received: string;
}

const FROM = ',"receivedfrom":"';
const STAMPS = /^,"receivedfrom":"(?:[^"\\]|\\.)*","receivedtime":"([^"\\]*)"\}$/;

/**
 * Splits a line that `stamped` returned, or returns undefined for any other line. It looks at the
 * end only: no value within an event can end a line this way. So the line may also have one
 * character for each byte.
 */
export function unstamped(line: string): StampedLine | undefined {
  const at = line.lastIndexOf(FROM);
  const received = at < 0 ? undefined : STAMPS.exec(line.slice(at))?.[1];
  return received === undefined ? undefined : { content: `${line.slice(0, at)}}`, received };
}
