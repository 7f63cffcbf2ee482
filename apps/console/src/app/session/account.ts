const ACCOUNT = 'shoeprint.account';
/** Changes with each sign-in, also where the same account signs in again. */
const SIGNED_IN_AT = 'shoeprint.signed-in-at';

/** Returns the name of the account that is signed in on this browser, or null. */
export const knownAccount = (): string | null => localStorage.getItem(ACCOUNT);

/** Remembers the name of the account that signed in. The cookie itself cannot be read. */
export function rememberAccount(name: string): void {
  localStorage.setItem(ACCOUNT, name);
  localStorage.setItem(SIGNED_IN_AT, String(Date.now()));
}

/** Forgets the account, because it signed out. */
export const forgetAccount = (): void => localStorage.removeItem(ACCOUNT);

/** Calls back when another window of this browser signs in or out, with the account now. */
export function onAccountElsewhere(changed: (account: string | null) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    const isSignOut = key === ACCOUNT && newValue === null;
    if (isSignOut || key === SIGNED_IN_AT) changed(knownAccount());
  });
}
