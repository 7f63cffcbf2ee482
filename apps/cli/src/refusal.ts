export { fileRefusal, Refusal } from '#process';

/** The exit codes of every command (contract section 6). */
export const EXIT = { clean: 0, found: 1, refused: 2, bug: 70 } as const;
