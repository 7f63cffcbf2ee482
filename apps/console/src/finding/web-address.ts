/** Returns whether a text is an address that a browser may open: only `http` and `https`. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
