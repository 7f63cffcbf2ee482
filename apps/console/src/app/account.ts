const ACCOUNT = 'shoeprint.account';

/** Returns the name of the account that is signed in on this browser, or null. */
export const knownAccount = (): string | null => localStorage.getItem(ACCOUNT);

/** Remembers the name of the account that signed in. The cookie itself cannot be read. */
export const rememberAccount = (name: string): void => localStorage.setItem(ACCOUNT, name);

/** Forgets the account, because it signed out. */
export const forgetAccount = (): void => localStorage.removeItem(ACCOUNT);

/** Calls back when another window of this browser signs in or out, with the new account. */
export function onAccountElsewhere(changed: (account: string | null) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === ACCOUNT) changed(newValue);
  });
}
