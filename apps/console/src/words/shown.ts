/**
 * What nobody sees of a text, or what changes how the text around it is shown: controls but tabs
 * and line ends, separators of lines, and marks that turn the direction of text.
 */
const UNSEEN = new RegExp(
  String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`,
  'g',
);

/**
 * Returns a text that came by an event as a person may read it, with unseen characters as escapes:
 * `B07\u202e`. Names in events may hold any character.
 */
export const shown = (text: string): string =>
  text.replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
