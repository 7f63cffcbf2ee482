/** Without letters and digits that look alike on paper. A power of two, so that each is as likely. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** Returns a first password: 100 random bits, in groups that can be read out. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const signs = [...bytes].map((byte) => SIGNS.charAt(byte % SIGNS.length));
  return Array.from({ length: GROUPS }, (_, group) =>
    signs.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  ).join('-');
}
