import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { positionsText, type OpenSnapshot, type Slices } from '#read-model';
import type { CsvFile } from './csv.js';

/**
 * An export is ended if its reader takes nothing for `stalledMs`, or is not done within `inAllMs`:
 * its snapshot holds a connection, and delays the swap of a rebuild.
 */
interface Patience {
  readonly stalledMs: number;
  readonly inAllMs: number;
}
const PATIENCE: Patience = { stalledMs: 60_000, inAllMs: 600_000 };

/**
 * All lines of a list or report as a file, read while it is sent: a slice at a time from one
 * snapshot. Either `send` or `close` must be called.
 */
export class Export {
  private constructor(
    readonly name: string,
    /** The positions of the snapshot, as `positionsText` formats them. */
    readonly positions: string,
    private readonly first: IteratorResult<string, void>,
    private readonly texts: AsyncGenerator<string, void>,
    /** Gives back the snapshot and the place. Never rejects. */
    readonly close: () => Promise<void>,
    private readonly patience: Patience,
  ) {}

  /**
   * Begins an export of `slices` from `snapshot`, and reads the first. If that fails, it rejects and
   * closes the snapshot. `closed` is called once the export holds nothing any more.
   */
  static async begin<Line>(
    snapshot: OpenSnapshot,
    slices: Slices<Line>,
    file: CsvFile<Line>,
    closed: () => void,
    patience = PATIENCE,
  ): Promise<Export> {
    // A connection that broke has already failed the export.
    const close = (): Promise<void> => snapshot.close().then(closed, closed);
    try {
      const texts = textsOf(slices, file);
      const first = await texts.next();
      return new Export(
        file.name,
        positionsText(snapshot.read.positions),
        first,
        texts,
        close,
        patience,
      );
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Returns the file. A reader who takes nothing for a minute, or too long in all, is cut off. */
  send(begin = ''): Readable {
    const { first, texts, close, patience } = this;
    const endIn = (ms: number, why: string): NodeJS.Timeout =>
      setTimeout(() => stream.destroy(new Error(why)), ms);
    let stalled: NodeJS.Timeout | undefined;
    const stream: Readable = Readable.from(
      (async function* () {
        let text = begin;
        for (let next = first; next.done !== true; next = await texts.next()) {
          text += next.value;
          stalled = endIn(patience.stalledMs, 'the reader takes nothing');
          yield Buffer.from(text);
          clearTimeout(stalled);
          text = '';
          await nextTurn();
        }
        // So that whoever has the whole file can begin another.
        await close();
      })(),
    );
    const late = endIn(patience.inAllMs, 'the reader takes too long');
    return stream.once('close', () => {
      clearTimeout(late);
      clearTimeout(stalled);
      void close();
    });
  }
}

/** Yields a file a slice at a time, the heading before the first. */
async function* textsOf<Line>(
  slices: Slices<Line>,
  { head, of }: CsvFile<Line>,
): AsyncGenerator<string, void> {
  let text = head;
  for await (const slice of slices) {
    yield text + of(slice);
    text = '';
  }
  if (text !== '') yield text;
}

/** Returns lines that were read at once in slices, for reports that have few. */
export async function* inSlices<Line>(lines: readonly Line[]): Slices<Line> {
  for (let at = 0; at < lines.length; at += LINES_MAX) yield lines.slice(at, at + LINES_MAX);
}
const LINES_MAX = 200;
