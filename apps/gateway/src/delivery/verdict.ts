import { isRecord } from '#baccarat';
import { excerpt, visible } from '#process';
import type { Answer } from './connection.js';

/** A fault that the api found in an event of a request. */
export interface EventFault {
  /** The number of the event in the request, from 1, if the api names it. */
  readonly position?: number;
  /** The field, by JSON pointer. */
  readonly pointer: string;
  readonly reason: string;
}

/** What an answer means for the events of its request. */
export type Verdict =
  /** They are durable. */
  | { readonly is: 'taken' }
  /** Send the same bytes again. */
  | {
      readonly is: 'again';
      readonly why: string;
      /** How long the api asks to wait, in milliseconds; 0 if it does not. */
      readonly afterMs: number;
      /** Whether the request may be too large for the line, as far as one answer can tell. */
      readonly isPerhapsTooLarge: boolean;
    }
  /** Send fewer. */
  | { readonly is: 'too-large'; readonly why: string }
  /** They will not be taken until a person mends something. */
  | { readonly is: 'refused'; readonly why: string; readonly faults: readonly EventFault[] };

/** The longest wait that an answer may ask for. */
const RETRY_AFTER_MS_MAX = 60_000;
const WORDS_MAX = 300;

/** What an answer is read with. */
interface Reading {
  /** The wall clock, in milliseconds since 1970. */
  readonly now: number;
  /** The key, which a server or a proxy may repeat in its answer. No text of a verdict has it. */
  readonly key: string;
}

/** Returns what an answer to a request with events means. */
export function verdictOf(answer: Answer, { now, key }: Reading): Verdict {
  if (answer.is === 'no-answer') return withoutAnswer(answer);
  const { status, retryAfter, text } = answer;
  if (status === 202) return { is: 'taken' };
  const shown: Shown = (from) => visible(excerpt(from.replaceAll(key, '…'), WORDS_MAX));
  const why = wordsOf(answer, shown);
  if (status === 413) return { is: 'too-large', why };
  if (status === 408 || status === 429 || status >= 500)
    return {
      is: 'again',
      why,
      afterMs: waitOf(retryAfter, now),
      isPerhapsTooLarge: status === 408,
    };
  return { is: 'refused', why, faults: faultsOf(text, shown) };
}

/** Returns a text of another program for people: in one line, not too long, and without the key. */
type Shown = (text: string) => string;

const withoutAnswer = ({
  why,
  wasSent,
  untrusted,
}: Extract<Answer, { is: 'no-answer' }>): Verdict =>
  untrusted === undefined
    ? { is: 'again', why, afterMs: 0, isPerhapsTooLarge: wasSent }
    : { is: 'refused', why, faults: [] };

/** Returns milliseconds of a `Retry-After`, a number of seconds or a date. */
function waitOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms || 0));
}

function wordsOf(
  { status, text, location }: Extract<Answer, { is: 'answer' }>,
  shown: Shown,
): string {
  if (status < 300) return `answered ${status}, which is not this api`;
  if (status < 400)
    return `answered ${status}, a redirect to ${shown(location ?? 'nowhere')}, which is not followed because the key would go there`;
  const said = shown(saidBy(text)).replace(/\.$/, '');
  if (status === 401) return `the key is unknown or revoked (401${said && `: ${said}`})`;
  return said === '' ? `answered ${status}` : `${said} (${status})`;
}

/** Returns what a problem document says, or '' if the text is not one. */
function saidBy(text: string): string {
  const { detail, title } = documentIn(text);
  return [detail, title].find((each) => typeof each === 'string') ?? '';
}

/** Returns the faults that a problem document lists. */
function faultsOf(text: string, shown: Shown): EventFault[] {
  const { errors } = documentIn(text);
  if (!Array.isArray(errors)) return [];
  return errors.filter(isRecord).map(({ position, pointer, reason }) => ({
    ...(Number.isSafeInteger(position) && { position: position as number }),
    pointer: typeof pointer === 'string' ? shown(pointer) : '',
    reason: typeof reason === 'string' ? shown(reason) : 'is refused',
  }));
}

/** Returns the members of a JSON object, or of an empty one if the text is something else. */
export function documentIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const json = JSON.parse(text) as unknown;
    return isRecord(json) ? json : {};
  } catch {
    return {}; // a proxy answers with a page
  }
}
