import { FormatFault, hashText, strictText, TextLines } from '../text-lines.js';
import { isKeyName } from './keys.js';
import { type Note, readNote } from './note.js';

/** The state of a tree: its size and its root, under the name of its log (C2SP tlog-checkpoint). */
export interface CheckpointBody {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A checkpoint with the note that holds its signatures. */
export interface SignedCheckpoint extends CheckpointBody {
  readonly note: Note;
}

/** Returns the text of a checkpoint that is signed: three lines. */
export function checkpointText({ origin, size, root }: CheckpointBody): string {
  return `${origin}\n${size}\n${hashText(root)}\n`;
}

/** Reads a signed checkpoint. Its signatures are not verified by that. Throws a `FormatFault`. */
export function readCheckpoint(bytes: Uint8Array): SignedCheckpoint {
  const note = readNote(strictText(bytes));
  return { ...readCheckpointText(note.text), note };
}

/** Reads the three lines of a checkpoint. Throws a `FormatFault`. */
export function readCheckpointText(text: string): CheckpointBody {
  const lines = new TextLines(text);
  const origin = lines.next('an origin');
  if (!isKeyName(origin)) throw new FormatFault(1, `${JSON.stringify(origin)} is not an origin`);
  const size = lines.number(lines.next('the size of the tree'));
  const root = lines.hash(lines.next('the root of the tree'));
  lines.end();
  return { origin, size, root };
}
