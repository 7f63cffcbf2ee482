/** Thrown if a link cannot be made now. A later try may do better. */
export class NoLink extends Error {
  override readonly name = 'NoLink';
}
