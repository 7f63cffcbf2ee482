import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Answers, serverPath } from '../api/client.js';
import { follow, type LiveReport } from './connection.js';
import { trustedWorkerUrl } from './trusted-worker-url.js';

/** A change of the rows, with what changed as it is now. */
export type Change =
  | { readonly is: 'finding'; readonly finding: Answers['FindingAnswer'] }
  | { readonly is: 'coup'; readonly coup: Answers['CoupAnswer'] }
  | { readonly is: 'shoe'; readonly shoe: Answers['ShoeAnswer'] }
  /** That something was recorded at a table. How it stands is read. */
  | { readonly is: 'table'; readonly table: Answers['TableChangeAnswer'] };

/** Whether changes arrive. `since` is when the last sign of the server came, in ms since 1970. */
export interface Liveness {
  readonly is: 'starting' | 'live' | 'lost' | 'off';
  readonly since: number;
}

const changeListeners = new Set<(change: Change) => void>();
const livenessListeners = new Set<() => void>();
let liveness: Liveness = { is: 'off', since: Date.now() };
let leave: (() => void) | undefined;
let heardAt = Date.now();

/** Returns whether changes arrive, and follows it. */
export const useLiveness = (): Liveness =>
  useSyncExternalStore(
    (listener) => {
      livenessListeners.add(listener);
      return () => livenessListeners.delete(listener);
    },
    () => liveness,
  );

/** Calls back for each change while a component is shown. */
export function useChanges(onChange: (change: Change) => void): void {
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    const listener = (change: Change): void => latest.current(change);
    changeListeners.add(listener);
    return () => void changeListeners.delete(listener);
  }, []);
}

/** Joins the stream. `onSignedOut` is called when the server no longer knows the session. */
export function joinStream(onSignedOut: () => void): void {
  leaveStream();
  enter('starting');
  const url = `${serverPath}/v1/stream`;
  const report = (each: LiveReport): void => {
    if (each.is === 'signed-out') onSignedOut();
    take(each);
  };
  leave = 'SharedWorker' in globalThis ? joinShared(url, report) : followWhileVisible(url, report);
}

/** Leaves the stream. */
export function leaveStream(): void {
  leave?.();
  leave = undefined;
  enter('off');
}

function joinShared(url: string, report: (report: LiveReport) => void): () => void {
  const worker = new SharedWorker(trustedWorkerUrl(), { type: 'module', name: 'shoeprint' });
  worker.port.onmessage = ({ data }: MessageEvent<LiveReport>) => report(data);
  worker.port.postMessage({ join: url });
  const goodbye = (): void => worker.port.postMessage('leave');
  addEventListener('pagehide', goodbye);
  return () => {
    removeEventListener('pagehide', goodbye);
    goodbye();
    worker.port.close();
  };
}

/**
 * Without a SharedWorker each visible window has a stream of its own. What happened while it was
 * hidden comes when it is seen again.
 */
function followWhileVisible(url: string, report: (report: LiveReport) => void): () => void {
  const place = { lastId: '' };
  let stream: { stop(): void } | undefined;
  const turn = (): void => {
    stream?.stop();
    stream = document.visibilityState === 'visible' ? follow(url, report, place) : undefined;
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
  if (report.is !== 'event') return;
  const change = changeOf(report.event.event, JSON.parse(report.event.data));
  if (change) for (const listener of changeListeners) listener(change);
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
