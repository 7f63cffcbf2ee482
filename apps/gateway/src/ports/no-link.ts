/** Thrown if a link cannot be made now. A later try may succeed. */
export class NoLink extends Error {
  override readonly name = 'NoLink';
}
