/** Returns whether a text is an address that a browser may open: only `http` and `https`. */
export function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol);
  } catch {
    return false; // `URL.canParse` is younger than the browsers that the console works in
  }
}
