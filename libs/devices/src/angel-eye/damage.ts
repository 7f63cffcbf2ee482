/** The most pieces that wait for an undamaged copy. A line with more is too bad to be judged. */
const PIECES_MAX = 8;
/** Seconds in which a copy of a damaged frame has to come. */
export const COPY_WITHIN = 1;
/** Fewer bytes than these fit too many frames to be called a copy of one. */
const COMMON_MIN = 3;

/** Damaged pieces that wait for an undamaged copy of their frame. */
export interface Damage {
  readonly pieces: readonly (readonly number[])[];
  /** When the last byte of the first piece came, in seconds. */
  readonly since: number;
}

/** Adds a damaged piece. An empty one, which has no copy, stands for those over the limit. */
export function withPiece(damage: Damage | null, piece: readonly number[], up: number): Damage {
  const before = damage?.pieces ?? [];
  if (before.length > PIECES_MAX) return damage as Damage;
  const added = before.length < PIECES_MAX ? piece : [];
  return { pieces: [...before, added], since: damage?.since ?? up };
}

/** Removes the pieces that are damaged copies of a frame. */
export function withoutCopiesOf(damage: Damage | null, frame: readonly number[]): Damage | null {
  if (damage === null) return null;
  const pieces = damage.pieces.filter((piece) => !isCopyOf(piece, frame));
  return pieces.length === 0 ? null : { ...damage, pieces };
}

/**
 * Returns whether a damaged piece is what is left of a frame: its beginning, its end, or all of it
 * but two neighboring bytes.
 */
export function isCopyOf(piece: readonly number[], frame: readonly number[]): boolean {
  const shorter = Math.min(piece.length, frame.length);
  let front = 0;
  while (front < shorter && piece[front] === frame[front]) front += 1;
  let back = 0;
  while (back < shorter - front && piece.at(-1 - back) === frame.at(-1 - back)) back += 1;
  const common = front + back;
  if (common < COMMON_MIN) return false;
  return common === piece.length || common >= Math.max(piece.length, frame.length) - 2;
}
