import { useSyncExternalStore } from 'react';
import { api, dataOf, listenToAnswers } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { forgetAccount, knownAccount, onAccountElsewhere, rememberAccount } from './account.js';
import { clearDraftsOf } from '../drafts.js';
import { noteUse } from './idle.js';
import { meQuery } from './me.js';

/**
 * What the browser knows of the session without asking the server. The cookie itself cannot be
 * read. `ended` shows the sign-in sheet over the screen, so that nothing half written is lost.
 */
export type SessionState = 'none' | 'open' | 'ended';

const listeners = new Set<() => void>();
let account = knownAccount();
let state: SessionState = account === null ? 'none' : 'open';
/** Whether another page is being loaded in place of this one. */
let isLeaving = false;

/** Returns the state of the session now. In components use `useSessionState`. */
export const sessionState = (): SessionState => state;

/** Returns the state of the session, and follows it. */
export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, () => state);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function enter(next: SessionState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Says that the server no longer knows the session. */
export function sessionHasEnded(): void {
  if (state !== 'none' && !isLeaving) enter('ended');
}

/** What a sign-in sends. `code` is the one-time code of a second factor. */
export interface SignIn {
  readonly name: string;
  readonly password: string;
  readonly code?: string;
}

/**
 * Signs in with a cookie. Throws `Refused` or `Unreachable`. Another person than before starts
 * clean, on a new page: drafts are removed, and this never resolves.
 */
export async function signIn(credentials: SignIn): Promise<void> {
  await dataOf(api.POST('/v1/sign-in', { body: { ...credentials, cookie: true } }));
  if (account !== null && account !== credentials.name) clearDraftsOf(account);
  rememberAccount(credentials.name);
  await goOnAs(credentials.name);
}

/**
 * Goes on with the screen, and reads again what it shows. Another person gets a new page instead:
 * nothing that this one has read or kept is theirs.
 */
async function goOnAs(name: string): Promise<void> {
  if (account !== null && account !== name) return loadAfresh('');
  account = name;
  enter('open');
  void queries.invalidateQueries();
}

/**
 * Loads a place of the console as a new page. Never resolves, because nothing may follow on this
 * one: what it has read, shows or waits for belongs to the person before.
 */
function loadAfresh(place: '' | 'sign-in'): Promise<never> {
  isLeaving = true;
  location.assign(new URL(place, document.baseURI));
  return new Promise<never>(() => undefined);
}

/**
 * Signs out, and goes to the sign-in on a new page. Removes drafts. Throws `Unreachable`. If it
 * does not throw, it never resolves.
 */
export async function signOut(): Promise<void> {
  await dataOf(api.POST('/v1/sign-out')).catch((error: unknown) => {
    if (!isSignedOutAlready(error)) throw error;
  });
  if (account !== null) clearDraftsOf(account);
  forgetAccount();
  await loadAfresh('sign-in');
}

const isSignedOutAlready = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 401;

onAccountElsewhere((name) => void (name === null ? loadAfresh('sign-in') : goOnAs(name)));
listenToAnswers({
  signedOut: sessionHasEnded,
  mustDo: () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  used: noteUse,
});
