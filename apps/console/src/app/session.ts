import { useSyncExternalStore } from 'react';
import { api, dataOf, listenToAnswers } from '../api/client.js';
import { queries } from '../api/queries.js';
import { forgetAccount, knownAccount, onAccountElsewhere, rememberAccount } from './account.js';
import { clearDraftsOf } from './drafts.js';
import { noteUse } from './idle.js';
import { meQuery } from './me.js';

/**
 * What the browser knows of the session without asking the server. The cookie itself cannot be
 * read. `ended` shows the sign-in sheet over the screen, so that nothing half written is lost.
 */
export type SessionState = 'none' | 'open' | 'ended';

const listeners = new Set<() => void>();
let state: SessionState = knownAccount() === null ? 'none' : 'open';

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
export const sessionHasEnded = (): void => enter(state === 'none' ? 'none' : 'ended');

/** What a sign-in sends. `code` is the one-time code of a second factor. */
export interface SignIn {
  readonly name: string;
  readonly password: string;
  readonly code?: string;
}

/**
 * Signs in with a cookie. Throws `Refused` or `Unreachable`. Another person than before starts
 * clean: drafts and what was read are removed.
 */
export async function signIn(credentials: SignIn): Promise<void> {
  await dataOf(api.POST('/v1/sign-in', { body: { ...credentials, cookie: true } }));
  const before = knownAccount();
  if (before !== null && before !== credentials.name) {
    clearDraftsOf(before);
    queries.clear();
  }
  rememberAccount(credentials.name);
  await queries.invalidateQueries();
  enter('open');
}

/** Signs out. Removes drafts and everything that was read. Throws `Unreachable`. */
export async function signOut(): Promise<void> {
  await dataOf(api.POST('/v1/sign-out')).catch((error: unknown) => {
    if (!isSignedOutAlready(error)) throw error;
  });
  const account = knownAccount();
  if (account !== null) clearDraftsOf(account);
  forgetAccount();
  queries.clear();
  enter('none');
}

const isSignedOutAlready = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 401;

onAccountElsewhere((account) => {
  queries.clear();
  enter(account === null ? 'none' : 'open');
});
listenToAnswers({
  signedOut: sessionHasEnded,
  mustDo: () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  used: noteUse,
});
