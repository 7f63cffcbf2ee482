import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  entriesBundle,
  headText,
  readTilePath,
  tableOfName,
  type EntryBundle,
  type Tile,
  TILE_WIDTH,
  utf8Of,
} from '#evidence';
import { errorCode } from '#process';
import { SealReader } from '#seal-store';
import { Problem } from '../problems/problems.js';

/** The media types of the files of a site log. */
export const SITE_LOG_TYPES = {
  text: 'text/plain; charset=utf-8',
  hashes: 'application/octet-stream',
} as const;

/** A file of the site log, or of the tree of a table. */
export interface SealedFile {
  readonly type: (typeof SITE_LOG_TYPES)[keyof typeof SITE_LOG_TYPES];
  readonly body: string | Uint8Array;
  /** Whether the file under this path stays the same for ever. */
  readonly stays: boolean;
}

/** What has a file: the site log, or the tree of a table by its number. */
export type TreeAsked = 'site' | number;

/** Asks for the last signed checkpoint. */
export class ShowCheckpoint extends Query<SealedFile> {}

/** Asks for a tile, or for entries of the site log, by the path that C2SP gives it. */
export class ShowTile extends Query<SealedFile> {
  /** `scope`: the tables that the sender may see; undefined for all. */
  constructor(
    readonly tree: TreeAsked,
    readonly path: string,
    readonly scope?: readonly string[],
  ) {
    super();
  }
}

/** Asks for the heads of a seal. */
export class ShowHeads extends Query<SealedFile> {
  constructor(readonly seal: number) {
    super();
  }
}

/** The PostgreSQL errors of a schema that does not exist: no sealer has run yet. */
const UNMADE: ReadonlySet<unknown> = new Set(['3F000', '42P01']);

/** Reads what is sealed and signed, and nothing beyond the last signed checkpoint. */
export class SealedFiles {
  constructor(private readonly seals: SealReader) {}

  /** Returns the last signed checkpoint. Throws `not-found` if nothing is signed yet. */
  async checkpoint(): Promise<{ readonly size: number; readonly note: string }> {
    const found = await this.seals.checkpoint().catch((error: unknown) => {
      if (UNMADE.has(errorCode(error))) return undefined;
      throw error;
    });
    return found ?? absent('nothing has been sealed yet');
  }

  /** Returns whether a gaming day was closed by a seal that is signed. */
  async isDaySealed(day: string): Promise<boolean> {
    const { size } = await this.checkpoint();
    const seal = await this.seals.daySeal(day);
    return seal !== undefined && seal.index < size;
  }

  async entries(index: number, width: number): Promise<Uint8Array> {
    const { size } = await this.checkpoint();
    const from = index * TILE_WIDTH;
    if (from + width > size) absent(`the site log has ${size} entries`);
    const entries = await this.seals.entries(from, from + width);
    return entriesBundle(entries.map(({ text }) => utf8Of(text)));
  }

  async tile(asked: ShowTile, tile: Tile): Promise<Uint8Array> {
    const { size } = await this.checkpoint();
    const leaves = asked.tree === 'site' ? size : await this.sizeOf(asked.tree, size, asked.scope);
    const hashes = Math.floor(leaves / TILE_WIDTH ** tile.level);
    if (tile.index * TILE_WIDTH + tile.width > hashes) absent('the tree has no such tile');
    return this.seals.tile(asked.tree, tile);
  }

  /** Returns the heads of a signed seal as text, by number of table. */
  async heads(seal: number): Promise<string> {
    const { size } = await this.checkpoint();
    const [site, [entry]] = await Promise.all([
      this.seals.site(),
      this.seals.entries(seal, seal + 1),
    ]);
    if (!site || seal >= size || entry?.kind !== 'seal')
      absent(`leaf ${seal} is not a signed seal`);
    const heads = await this.seals.heads(seal);
    return heads.map((head) => headText({ ...head, origin: site.origin })).join('');
  }

  /** Returns the size of a table's tree at the last signed seal, if the sender may see the table. */
  private async sizeOf(
    number: number,
    checkpoint: number,
    scope: readonly string[] | undefined,
  ): Promise<number> {
    const seal = await this.seals.lastEntry('seal', checkpoint);
    const head = seal && (await this.seals.head(number, seal.index));
    const table = head && tableOfName(head.name);
    const isSeen = table !== undefined && (scope === undefined || scope.includes(table));
    return head && isSeen ? head.size : absent(`no table has the number ${number}`);
  }
}

/** Returns the last signed checkpoint with its cosignatures. */
@QueryHandler(ShowCheckpoint)
export class ShowCheckpointHandler implements IQueryHandler<ShowCheckpoint> {
  constructor(private readonly files: SealedFiles) {}

  async execute(): Promise<SealedFile> {
    const { note } = await this.files.checkpoint();
    return { type: SITE_LOG_TYPES.text, body: note, stays: false };
  }
}

/** Returns a tile or a bundle of entries. Throws `not-found` for every path that names neither. */
@QueryHandler(ShowTile)
export class ShowTileHandler implements IQueryHandler<ShowTile> {
  constructor(private readonly files: SealedFiles) {}

  async execute(asked: ShowTile): Promise<SealedFile> {
    const named = readTilePath(`tile/${asked.path}`) ?? absent('this is not the path of a tile');
    if (!isTile(named) && asked.tree !== 'site') absent('a table has no entries here');
    const body = isTile(named)
      ? await this.files.tile(asked, named)
      : await this.files.entries(named.index, named.width);
    return { type: SITE_LOG_TYPES.hashes, body, stays: true };
  }
}

/** Returns the heads of a seal. */
@QueryHandler(ShowHeads)
export class ShowHeadsHandler implements IQueryHandler<ShowHeads> {
  constructor(private readonly files: SealedFiles) {}

  async execute({ seal }: ShowHeads): Promise<SealedFile> {
    return { type: SITE_LOG_TYPES.text, body: await this.files.heads(seal), stays: true };
  }
}

const isTile = (named: Tile | EntryBundle): named is Tile => 'level' in named;

function absent(detail: string): never {
  throw new Problem('not-found', detail);
}
