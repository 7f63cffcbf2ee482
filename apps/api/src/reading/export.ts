import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { positionsText, type OpenSnapshot, type Slices } from '#read-model';
import type { CsvText } from './csv.js';

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
 * What an export is made of. `rest` is called after each slice with the ms that it took. `free` is
 * called once the export holds nothing any more.
 */
interface Lines<Line> {
  readonly snapshot: OpenSnapshot;
  readonly slices: Slices<Line>;
  readonly name: string;
  readonly text: CsvText<Line>;
  readonly rest: (tookMs: number) => Promise<void>;
  readonly free: () => void;
  readonly patience?: Patience;
}

/**
 * All lines of a list or report as a file, read while it is sent: a slice at a time from one
 * snapshot. Either `send` or `close` must be called.
 */
export class Export {
  readonly name: string;
  /** The positions of the snapshot, as `positionsText` formats them. */
  readonly positions: string;

  private constructor(
    private readonly of: Omit<Lines<never>, 'slices'>,
    private readonly first: IteratorResult<string, void>,
    private readonly texts: AsyncGenerator<string, void>,
  ) {
    this.name = of.name;
    this.positions = positionsText(of.snapshot.read.positions);
  }

  /** Begins an export by reading its first slice. If that fails, it rejects and holds nothing. */
  static async begin<Line>(lines: Lines<Line>): Promise<Export> {
    const texts = textsOf(lines);
    try {
      return new Export(lines, await texts.next(), texts);
    } catch (error) {
      await closed(lines);
      throw error;
    }
  }

  /** Gives back the connection and the place. It may be called more than once. */
  close(): Promise<void> {
    return closed(this.of);
  }

  /** Returns the file. A reader who takes nothing for a minute, or too long in all, is cut off. */
  send(begin = ''): Readable {
    const { first, texts } = this;
    const { patience = PATIENCE } = this.of;
    const close = (): Promise<void> => this.close();
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
        }
        // A reader who has the whole file can begin another at once.
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

const closed = ({ snapshot, free }: Pick<Lines<never>, 'snapshot' | 'free'>): Promise<void> =>
  // A connection that broke has already failed the export.
  snapshot.close().then(free, free);

/** Yields a file a slice at a time, the heading before the first. */
async function* textsOf<Line>({
  slices,
  text: { head, of },
  rest,
  patience = PATIENCE,
}: Lines<Line>): AsyncGenerator<string, void> {
  const lateAt = performance.now() + patience.inAllMs / 2;
  let text = head;
  let began = performance.now();
  for await (const slice of slices) {
    text += of(slice);
    const took = performance.now() - began;
    yield text;
    // An open snapshot keeps dead rows, so an export that is late goes on without a rest.
    await (performance.now() < lateAt ? rest(took) : nextTurn());
    text = '';
    began = performance.now();
  }
  if (text !== '') yield text;
}

/** Returns lines that were read at once in slices, for reports that have few. */
export async function* inSlices<Line>(lines: readonly Line[]): Slices<Line> {
  for (let at = 0; at < lines.length; at += LINES_MAX) yield lines.slice(at, at + LINES_MAX);
}
const LINES_MAX = 50;
