import { pointerTo } from '#baccarat';

/**
 * One fault of an event, at a JSON pointer (RFC 6901) into it. The pointer is empty for the whole
 * line.
 */
export interface Fault {
  readonly pointer: string;
  readonly reason: string;
}

interface Container {
  /** The keys seen so far in an object; `undefined` for an array. */
  readonly keys: Set<string> | undefined;
  readonly pointer: string;
  /** The pointer of the member being read. */
  member: string;
  index: number;
  awaitsKey: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\]:,]/gsy;

/**
 * Returns the faults that JSON.parse accepts and a record must not have: a duplicate key, NUL or a
 * lone surrogate in a string, an integer beyond 2^53 - 1, a fraction that becomes whole only by
 * rounding. `text` must be JSON. The walk has its own stack, so depth does not use the call stack.
 */
export function inspect(text: string): Fault[] {
  const faults: Fault[] = [];
  const stack: Container[] = [];
  walk(text, (token) => {
    const top = stack.at(-1);
    const pointer = top ? top.member : '';
    switch (token[0]) {
      case '{':
      case '[':
        stack.push({
          keys: token === '{' ? new Set() : undefined,
          pointer,
          member: `${pointer}/0`,
          index: 0,
          awaitsKey: token === '{',
        });
        break;
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (top) nextMember(top);
        break;
      case '"':
        inspectString(token, top, pointer, faults);
        break;
      case 't':
      case 'f':
      case 'n':
      case ':':
        break;
      default:
        inspectNumber(token, pointer, faults);
    }
  });
  return faults;
}

/**
 * Returns whether JSON.stringify writes the same text. Such a text has no duplicate key, no lone
 * surrogate and no number that was rounded, so it needs no inspection.
 */
export function isAsWritten(value: unknown, text: string): boolean {
  if (text.includes('\\') || BEYOND_SAFE.test(text)) return false;
  try {
    return JSON.stringify(value) === text;
  } catch (error) {
    // too deep for the stack
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** An integer beyond 2^53 - 1 has sixteen digits or more, or an exponent. */
const BEYOND_SAFE = /\d{16}|\de[+-]\d/;

/**
 * Returns the same JSON without spaces, members in the given order, each string and number as
 * JSON.stringify writes it.
 */
export function minify(text: string): string {
  const parts: string[] = [];
  walk(text, (token) => {
    if (token[0] === '"')
      parts.push(token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token);
    else parts.push(/^[-\d]/.test(token) ? JSON.stringify(Number(token)) : token);
  });
  return parts.join('');
}

/**
 * Returns the raw text of the member `key` of a JSON object, or `undefined` if the object has no
 * such member.
 */
export function memberText(text: string, key: string): string | undefined {
  let depth = 0;
  let name: string | undefined;
  let awaitsKey = false;
  let from = -1;
  let found: string | undefined;
  const open = (token: string): void => {
    depth += 1;
    awaitsKey = token === '{' && depth === 1;
  };
  const close = (token: string, at: number): void => {
    if (depth === 1 && from >= 0 && token !== ']') found ??= text.slice(from, at);
    if (token !== ',') depth -= 1;
    awaitsKey = token === ',' && depth === 1;
  };
  walk(text, (token, at) => {
    if (token === '}' || token === ']' || token === ',') close(token, at);
    else if (token === '{' || token === '[') open(token);
    else if (token === ':' && depth === 1 && name === key) from = at + 1;
    else if (awaitsKey) {
      name = JSON.parse(token) as string;
      awaitsKey = false;
    }
  });
  return found?.trim();
}

function walk(text: string, visit: (token: string, at: number) => void): void {
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length;) {
    if (text.charCodeAt(at) <= 0x20) {
      at += 1;
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) throw new Error(`not JSON at character ${at}`);
    visit(token, at);
    at += token.length;
  }
}

function nextMember(top: Container): void {
  top.index += 1;
  top.awaitsKey = top.keys !== undefined;
  if (!top.keys) top.member = `${top.pointer}/${top.index}`;
}

function inspectString(
  token: string,
  top: Container | undefined,
  pointer: string,
  faults: Fault[],
): void {
  const value = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  let at = pointer;
  if (top?.awaitsKey && top.keys) {
    at = pointerTo(top.pointer, value);
    if (top.keys.has(value))
      faults.push({ pointer: at, reason: 'the key appears twice in one object' });
    top.keys.add(value);
    top.member = at;
    top.awaitsKey = false;
  }
  if (value.includes('\0')) faults.push({ pointer: at, reason: 'a string contains NUL' });
  if (/\p{Surrogate}/u.test(value))
    faults.push({ pointer: at, reason: 'a string contains a lone surrogate' });
}

function inspectNumber(token: string, pointer: string, faults: Fault[]): void {
  const value = Number(token);
  if (Number.isSafeInteger(value) ? !isWhole(token) : !Number.isFinite(value)) {
    faults.push({
      pointer,
      reason: Number.isFinite(value)
        ? `${token} is not a whole number`
        : `${token} is beyond 2^53 - 1`,
    });
  } else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    faults.push({ pointer, reason: `${token} is beyond 2^53 - 1` });
}

/**
 * Returns whether a decimal literal is exactly a whole number, and not only after rounding to a
 * double.
 */
function isWhole(token: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const places = fraction.length - Number(exponent);
  return (
    digits === '' || places <= 0 || (places < digits.length && /^0*$/.test(digits.slice(-places)))
  );
}
