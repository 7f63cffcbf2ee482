import { Readable } from 'node:stream';

/** What a file is made of, and what it holds while it is sent. */
export interface FileParts {
  /** The name that a browser gives it, with its ending. */
  readonly name: string;
  readonly mediaType: string;
  /** The positions of the log that it includes, as `positionsText` formats them. */
  readonly positions: string;
  /** Records of the log that it leaves out, because they cannot be read and were passed. */
  readonly passed?: readonly { readonly partition: number; readonly offset: number }[];
  /** Its parts in order. An empty one is not sent, and lets a reader who went away end the file. */
  readonly parts: AsyncGenerator<Uint8Array, void>;
  /** A reader is cut off that is not done within so many ms. */
  readonly inAllMs: number;
  /** Gives back what the file holds. It may be called more than once. */
  readonly close: () => Promise<void>;
}

/** A file that is made while it is sent. Either `send` or `close` must be called. */
export class Export {
  private constructor(
    private readonly of: FileParts,
    private readonly first: IteratorResult<Uint8Array, void>,
  ) {}

  /** Begins a file by making its first part. If that fails, it rejects and holds nothing. */
  static async begin(of: FileParts): Promise<Export> {
    try {
      return new Export(of, await of.parts.next());
    } catch (error) {
      await of.close();
      throw error;
    }
  }

  /** Its name, its media type, the positions that it includes, and the records that it leaves out. */
  get head(): Pick<FileParts, 'name' | 'mediaType' | 'positions' | 'passed'> {
    return this.of;
  }

  /** Gives back what the file holds. It may be called more than once. */
  close(): Promise<void> {
    return this.of.close();
  }

  /** Returns the file. A reader who takes too long in all is cut off. */
  send(): Readable {
    const { first } = this;
    const { parts, inAllMs, close } = this.of;
    const isOver = (): boolean => stream.destroyed;
    const stream: Readable = Readable.from(
      (async function* () {
        for (let next = first; next.done !== true; next = await parts.next()) {
          if (isOver()) return;
          if (next.value.length > 0) yield next.value;
        }
        // A reader who has the whole file can begin another at once.
        await close();
      })(),
    );
    const late = setTimeout(() => stream.destroy(new Error('the reader takes too long')), inAllMs);
    return stream.once('close', () => {
      clearTimeout(late);
      void close();
    });
  }
}
