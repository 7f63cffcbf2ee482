/**
 * Thrown when something has changed that a session reads at its beginning: the next session begins
 * at once with what the database holds.
 */
export class BeginAgain extends Error {
  override readonly name = 'BeginAgain';
}
