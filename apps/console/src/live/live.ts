import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Answers, serverPath } from '../api/client.js';
import { follow, type LiveReport, QUIET_MS_MAX } from './connection.js';
import { trustedWorkerUrl } from './trusted-worker-url.js';

/** A change of the rows, with what changed as it is now. */
export type Change =
  | { readonly is: 'finding'; readonly finding: Answers['FindingAnswer'] }
  | { readonly is: 'coup'; readonly coup: Answers['CoupAnswer'] }
  | { readonly is: 'shoe'; readonly shoe: Answers['ShoeAnswer'] }
  /** That something was recorded at a table. Its state must be read. */
  | { readonly is: 'table'; readonly table: Answers['TableChangeAnswer'] };

/** Whether changes arrive. `since` is when the last sign of the server came, in ms since 1970. */
export interface Liveness {
  readonly is: 'starting' | 'live' | 'lost' | 'off';
  readonly since: number;
}

const changeListeners = new Set<(change: Change) => void>();
const beginningListeners = new Set<(at: string) => void>();
const livenessListeners = new Set<() => void>();
let liveness: Liveness = { is: 'off', since: Date.now() };
let leave: (() => void) | undefined;
let heardAt = Date.now();
let hasBegun = false;

/** Returns whether changes arrive, and follows it. */
export const useLiveness = (): Liveness =>
  useSyncExternalStore(
    (listener) => {
      livenessListeners.add(listener);
      return () => livenessListeners.delete(listener);
    },
    () => liveness,
  );

/** Returns whether the stream has begun, so that changes from now on arrive. */
export const streamHasBegun = (): boolean => hasBegun;

/** Calls back for each change while a component is shown. */
export const useChanges = (onChange: (change: Change) => void): void =>
  useListener(changeListeners, onChange);

/**
 * Calls back when the stream begins while a component is shown: changes after the positions `at`
 * arrive, and those before do not.
 */
export const useBeginning = (onBeginning: (at: string) => void): void =>
  useListener(beginningListeners, onBeginning);

function useListener<Value>(
  listeners: Set<(value: Value) => void>,
  callback: (value: Value) => void,
): void {
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  useEffect(() => {
    const listener = (value: Value): void => latest.current(value);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listeners]);
}

/**
 * Joins the stream as an account. `onSignedOut` is called when the server no longer knows the
 * session.
 */
export function joinStream(account: string, onSignedOut: () => void): void {
  leaveStream();
  enter('starting');
  const url = `${serverPath}/v1/stream`;
  const report = (each: LiveReport): void => {
    if (each.is === 'signed-out') onSignedOut();
    take(each);
  };
  leave =
    'SharedWorker' in globalThis
      ? followShared({ url, account, report })
      : followWhileVisible(url, report);
}

/** Leaves the stream. */
export function leaveStream(): void {
  leave?.();
  leave = undefined;
  hasBegun = false;
  enter('off');
}

interface Shared {
  readonly url: string;
  readonly account: string;
  readonly report: (report: LiveReport) => void;
}

/** How long a worker that is alive takes to answer a window that joins. */
const ANSWER_MS_MAX = 2_000;

/**
 * Follows the stream of the shared worker. After an upgrade the file of the worker may be gone, and
 * a worker may die without a word. If the worker is silent, the window joins again, and if that
 * does not help, the window follows a stream of its own.
 */
function followShared(shared: Shared): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leaveNow: () => void;
  const watch = (ms: number, onSilence: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(onSilence, ms);
  };
  const join = (): void => {
    const report = (each: LiveReport): void => {
      watch(QUIET_MS_MAX, joinAgain);
      shared.report(each);
    };
    leaveNow = joinWorker({ ...shared, report }, followAlone);
  };
  const joinAgain = (): void => {
    const leaveBefore = leaveNow;
    hasBegun = false;
    join();
    leaveBefore(); // after joining, for the worker ends its stream when the last window leaves
    watch(ANSWER_MS_MAX, () => {
      shared.report({ is: 'lost' });
      followAlone();
    });
  };
  const followAlone = (): void => {
    clearTimeout(timer);
    leaveNow();
    hasBegun = false;
    leaveNow = followWhileVisible(shared.url, shared.report);
  };
  join();
  watch(QUIET_MS_MAX, joinAgain);
  return () => {
    clearTimeout(timer);
    leaveNow();
  };
}

/** Joins the worker of an account, for no other may see its changes. */
function joinWorker({ url, account, report }: Shared, onError: () => void): () => void {
  const name = `shoeprint ${account}`;
  const worker = new SharedWorker(trustedWorkerUrl(), { type: 'module', name });
  worker.addEventListener('error', onError);
  worker.port.onmessage = ({ data }: MessageEvent<LiveReport>) => report(data);
  worker.port.postMessage({ join: url });
  const goodbye = (): void => worker.port.postMessage('leave');
  addEventListener('pagehide', goodbye);
  return () => {
    removeEventListener('pagehide', goodbye);
    worker.removeEventListener('error', onError);
    goodbye();
    worker.port.close();
  };
}

/**
 * Without a SharedWorker each visible window has a stream of its own. What happened while it was
 * hidden comes when it is seen again.
 */
function followWhileVisible(url: string, report: (report: LiveReport) => void): () => void {
  const position = { lastId: '' };
  let stream: { stop(): void } | undefined;
  const turn = (): void => {
    stream?.stop();
    stream = document.visibilityState === 'visible' ? follow(url, report, position) : undefined;
  };
  document.addEventListener('visibilitychange', turn);
  turn();
  return () => {
    document.removeEventListener('visibilitychange', turn);
    stream?.stop();
  };
}

function take(report: LiveReport): void {
  if (report.is === 'lost') return enter('lost');
  if (report.is === 'signed-out') return enter('off');
  heardAt = Date.now();
  enter('live');
  if (report.is === 'live') return beginAt(report.at);
  const change = changeOf(report.event.event, JSON.parse(report.event.data));
  if (change) for (const listener of changeListeners) listener(change);
}

/** Notes where the stream begins, once it knows. */
function beginAt(at: string): void {
  if (hasBegun || at === '') return;
  hasBegun = true;
  for (const listener of beginningListeners) listener(at);
}

/** A later server may send other kinds, which this console does not show. */
function changeOf(event: string, data: unknown): Change | undefined {
  switch (event) {
    case 'finding':
    case 'coup':
    case 'shoe':
    case 'table':
      return { is: event, [event]: data } as unknown as Change;
    default:
      return undefined;
  }
}

function enter(is: Liveness['is']): void {
  if (liveness.is === is) return;
  liveness = { is, since: is === 'lost' ? heardAt : Date.now() };
  for (const listener of livenessListeners) listener();
}
