import type { AnyEvent } from '../events/events.js';
import { isNewId } from './ids-in-reach.js';

/** Contents remembered of each session. */
export const CONTENTS_MAX = 4096;
/** Events that a table may hold while it waits. */
const WAITING_MAX = 64;
/** Sessions remembered of each table. */
const SESSIONS_MAX = 256;

/**
 * Counts events by what became of them: read = admitted + duplicates + equivocal + late, once none
 * is held.
 */
export interface Counts {
  read: number;
  admitted: number;
  duplicates: number;
  equivocal: number;
  late: number;
  /** Of those admitted: events about another shoe than the open one. They have no effect. */
  stray: number;
}

/** One boot of one source. */
export interface Session {
  readonly source: string;
  readonly session: string;
  /**
   * 1, and greater each time the device restarts the session. A session that is not remembered
   * begins above those that were forgotten, so that no boot of it has been before.
   */
  readonly boot: number;
  /** The number that is due next. */
  next: number;
  /**
   * Digests of the last contents, each at its number modulo `CONTENTS_MAX`. A number declared a gap
   * has `MISSING`.
   */
  readonly digests: number[];
  /**
   * Digests of the last `device-online` events under this id. A repeat of one of them does not
   * restart the session.
   */
  readonly onlines: number[];
  /** The last numbers that were found to have two contents, whatever the boot. */
  readonly equivocal: number[];
}

type Range = [from: number, to: number];

/** A table that waits for the numbers before `queue[0]`. */
interface Wait {
  /** The boot of the session whose numbers are missing. */
  readonly boot: number;
  /** Events held, in log order. The first one skipped numbers. */
  readonly queue: AnyEvent[];
  /** Events that fill a part of the hole, by number. */
  readonly fill: AnyEvent[];
  /** Numbers still awaited: disjoint, ascending. */
  missing: Range[];
  /** Numbers declared never to come: disjoint. */
  gone: Range[];
}

/** What admission keeps of a table between two events. */
export interface AdmissionState {
  readonly counts: Counts;
  /** Most recently heard first. */
  readonly sessions: Session[];
  /** The greatest boot of a session that was forgotten. */
  bootsForgotten: number;
  wait: Wait | null;
  /** Digests of unnumbered events and of openings by reference, since the last shoe opened. */
  ids: Map<string, number>;
  /** The same, of the window before. */
  idsBefore: Map<string, number>;
  /** References of these that were found to have two contents. */
  readonly equivocalIds: Set<string>;
}

/** Receives what admission decides, in the order in which the game takes it. */
export interface Admitting {
  admitted(event: AnyEvent): void;
  /** The numbers `from` to `to` of a boot never came. They are missing before the event `after`. */
  gap(after: AnyEvent, boot: number, from: number, to: number): void;
  /** An event arrived after its number was declared a gap. */
  late(event: AnyEvent): void;
  /**
   * An event has another content than the one admitted under its number or its id. Called once for
   * that number or id while it is remembered.
   */
  equivocal(event: AnyEvent, under: 'number' | 'id'): void;
}

/** `device-online` events remembered of each session id. */
const ONLINES_MAX = 16;

const MISSING = -1;

/** Returns the admission state of a table without events. */
export const newAdmission = (): AdmissionState => ({
  counts: { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 },
  sessions: [],
  bootsForgotten: 0,
  wait: null,
  ids: new Map(),
  idsBefore: new Map(),
  equivocalIds: new Set(),
});

/**
 * Takes one more event of a table (contract section 3). Passes each event on once, in the order of
 * its source. Holds an event, and all behind it, while numbers before it are missing. Separates
 * duplicates, late events and equivocations.
 */
export function admit(state: AdmissionState, event: AnyEvent, to: Admitting): void {
  state.counts.read += 1;
  if (event.sequence === undefined) {
    if (!isNewId(state, event, to)) return;
    if (event.type === 'gap-declared') {
      state.counts.admitted += 1;
      const { source, session, from, to: last } = event.data;
      declareGone(state, { source, session, range: [from, last] }, to);
      return;
    }
  }
  arrive(state, event, to);
}

/** Ends a wait, if there is one, with a gap. Called at the end of a log. */
export function endWaits(state: AdmissionState, to: Admitting): void {
  while (state.wait) giveUp(state, state.wait, to);
}

/** Takes another content under a number of a session. */
function equivocate(state: AdmissionState, session: Session, event: AnyEvent, to: Admitting): void {
  state.counts.equivocal += 1;
  const { equivocal } = session;
  if (equivocal.includes(event.sequence as number)) return;
  equivocal.push(event.sequence as number);
  if (equivocal.length > CONTENTS_MAX) equivocal.shift();
  to.equivocal(event, 'number');
}

/** Takes an event that repeats no id: a new one, or one from the queue of a wait that ended. */
function arrive(state: AdmissionState, event: AnyEvent, to: Admitting): void {
  const { sequence } = event;
  if (sequence === undefined) {
    if (state.wait) hold(state, state.wait, event, to);
    else hand(state, event, to);
    return;
  }
  const session = sessionOf(state, event);
  if (sequence < session.next) past(state, session, event, to);
  else if (state.wait) {
    const held = heldUnder(state.wait, event);
    if (held?.digest === event.digest) state.counts.duplicates += 1;
    else if (held) equivocate(state, session, event, to);
    else hold(state, state.wait, event, to);
  } else if (sequence === session.next) {
    advance(session, event);
    hand(state, event, to);
  } else {
    state.wait = {
      boot: session.boot,
      queue: [event],
      fill: [],
      missing: [[session.next, sequence - 1]],
      gone: [],
    };
    if (endsWaits(event)) giveUp(state, state.wait, to);
  }
}

/** Takes an event under a number that its session has passed. */
function past(state: AdmissionState, session: Session, event: AnyEvent, to: Admitting): void {
  const sequence = event.sequence as number;
  const slot = sequence % CONTENTS_MAX;
  const inReach = sequence >= session.next - CONTENTS_MAX;
  const known = inReach ? session.digests[slot] : undefined;
  const isRepeat =
    event.type === 'device-online' ? session.onlines.includes(event.digest) : !inReach;
  if (known === event.digest || isRepeat) state.counts.duplicates += 1;
  else if (known === MISSING) {
    session.digests[slot] = event.digest;
    state.counts.late += 1;
    to.late(event);
  } else if (event.type === 'device-online') restartSession(state, session, event, to);
  else equivocate(state, session, event, to);
}

/** Restarts a session whose device came online under the same id with new content. */
function restartSession(
  state: AdmissionState,
  session: Session,
  event: AnyEvent,
  to: Admitting,
): void {
  state.sessions.splice(state.sessions.indexOf(session), 1, {
    source: session.source,
    session: session.session,
    boot: session.boot + 1,
    next: 1,
    digests: [0],
    onlines: session.onlines,
    equivocal: session.equivocal,
  });
  if (state.wait && waitsFor(state.wait, event.source)) giveUp(state, state.wait, to);
  arrive(state, event, to);
}

function hold(state: AdmissionState, wait: Wait, event: AnyEvent, to: Admitting): void {
  const head = wait.queue[0] as AnyEvent;
  const sameSource = event.source === head.source && event.sequence !== undefined;
  if (sameSource && event.session === head.session && removeNumber(wait, event.sequence)) {
    wait.fill.push(event);
    wait.fill.sort((a, b) => (a.sequence as number) - (b.sequence as number));
    if (wait.missing.length === 0) return release(state, wait, to);
  } else wait.queue.push(event);
  const otherSession = sameSource && event.session !== head.session;
  if (otherSession || endsWaits(event) || wait.queue.length + wait.fill.length >= WAITING_MAX)
    giveUp(state, wait, to);
}

const endsWaits = (event: AnyEvent): boolean =>
  event.type === 'shoe-closed' || event.type === 'device-offline';

const waitsFor = (wait: Wait, source: string): boolean => wait.queue[0]?.source === source;

const heldUnder = (wait: Wait, event: AnyEvent): AnyEvent | undefined =>
  [...wait.queue, ...wait.fill].find(
    (held) =>
      held.sequence === event.sequence &&
      held.source === event.source &&
      held.session === event.session,
  );

function declareGone(
  state: AdmissionState,
  {
    source,
    session,
    range,
  }: { readonly source: string; readonly session: string; readonly range: Range },
  to: Admitting,
): void {
  const { wait } = state;
  if (!wait || wait.queue[0]?.source !== source || wait.queue[0].session !== session) return;
  removeRange(wait, range);
  if (wait.missing.length === 0) release(state, wait, to);
}

function giveUp(state: AdmissionState, wait: Wait, to: Admitting): void {
  removeRange(wait, [0, Number.MAX_SAFE_INTEGER]);
  release(state, wait, to);
}

/**
 * Hands out what filled the hole, with a gap for each run of numbers that never came, then the
 * other held events in log order.
 */
function release(state: AdmissionState, wait: Wait, to: Admitting): void {
  const [head, ...rest] = wait.queue as [AnyEvent, ...AnyEvent[]];
  const session = sessionOf(state, head);
  const gone = joined(wait.gone);
  state.wait = null;
  for (const event of [...wait.fill, head]) {
    while (gone[0] && gone[0][0] < (event.sequence as number)) {
      const [from, last] = gone.shift() as Range;
      for (let n = Math.max(from, last - CONTENTS_MAX + 1); n <= last; n += 1)
        session.digests[n % CONTENTS_MAX] = MISSING;
      session.next = last + 1;
      to.gap(event, wait.boot, from, last);
    }
    advance(session, event);
    hand(state, event, to);
  }
  for (const event of rest) arrive(state, event, to);
}

function hand(state: AdmissionState, event: AnyEvent, to: Admitting): void {
  state.counts.admitted += 1;
  to.admitted(event);
}

/** Remembers the content of the number that is due. */
export function advance(session: Session, event: AnyEvent): void {
  if (event.type === 'device-online') {
    session.onlines.push(event.digest);
    if (session.onlines.length > ONLINES_MAX) session.onlines.shift();
  }
  session.digests[session.next % CONTENTS_MAX] = event.digest;
  session.next += 1;
}

/** Returns the session of a numbered event, as the one heard last. */
export function sessionOf(state: AdmissionState, event: AnyEvent): Session {
  const { sessions } = state;
  const { source, session } = event as { source: string; session: string };
  for (let i = 0; i < sessions.length; i += 1) {
    const known = sessions[i] as Session;
    if (known.session === session && known.source === source) {
      for (let later = i; later > 0; later -= 1) sessions[later] = sessions[later - 1] as Session;
      sessions[0] = known;
      return known;
    }
  }
  const fresh: Session = {
    source,
    session,
    boot: state.bootsForgotten + 1,
    next: 1,
    digests: [0],
    onlines: [],
    equivocal: [],
  };
  sessions.unshift(fresh);
  const forgotten = sessions.length > SESSIONS_MAX ? sessions.pop() : undefined;
  if (forgotten) state.bootsForgotten = Math.max(state.bootsForgotten, forgotten.boot);
  return fresh;
}

/** Removes a number from those awaited. Returns whether it was one of them. */
function removeNumber(wait: Wait, number: number): boolean {
  const before = wait.missing;
  wait.missing = subtracted(before, [number, number]);
  return (
    wait.missing.length !== before.length ||
    wait.missing.some(([from, to], i) => from !== before[i]?.[0] || to !== before[i][1])
  );
}

/** Moves the awaited numbers of a range to those that will not come. */
function removeRange(wait: Wait, range: Range): void {
  for (const [from, to] of wait.missing) {
    const low = Math.max(from, range[0]);
    const high = Math.min(to, range[1]);
    if (low <= high) wait.gone.push([low, high]);
  }
  wait.missing = subtracted(wait.missing, range);
}

const subtracted = (ranges: readonly Range[], [low, high]: Range): Range[] =>
  ranges.flatMap(([from, to]): Range[] => {
    if (high < from || low > to) return [[from, to]];
    const left: Range[] = from < low ? [[from, low - 1]] : [];
    return to > high ? [...left, [high + 1, to]] : left;
  });

function joined(ranges: readonly Range[]): Range[] {
  const runs: Range[] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === from) last[1] = to;
    else runs.push([from, to]);
  }
  return runs;
}
