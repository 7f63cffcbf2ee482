import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  entriesBundle,
  entriesPath,
  readCheckpoint,
  TILE_WIDTH,
  tilePath,
  tilesBetween,
  utf8Of,
} from '#evidence';
import type { KeptCheckpoint, SealReader } from '#seal-store';

const CHECKPOINT = 'checkpoint';

/**
 * The site log as plain files (C2SP tlog-tiles), which any web server can serve. A checkpoint is
 * written only after all tiles that it rests on.
 */
export class TileFolder {
  private publishing: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly reader: SealReader,
  ) {}

  /**
   * Writes the tiles of a checkpoint that the folder lacks, and then the checkpoint. Publishes one
   * after the other, and never replaces a newer one by an older one.
   */
  publish(checkpoint: KeptCheckpoint): Promise<void> {
    const published = this.publishing.then(() => this.publishNow(checkpoint));
    this.publishing = published.catch(() => undefined); // the caller handles it
    return published;
  }

  private async publishNow({ size, note }: KeptCheckpoint): Promise<void> {
    const from = await this.publishedSize();
    if (from > size) return;
    for (const tile of tilesBetween(from, size)) {
      await this.write(tilePath(tile), await this.reader.tile('site', tile));
      if (tile.level === 0) await this.writeEntries(tile.index, tile.width);
      if (tile.width === TILE_WIDTH) await this.removePartial(tilePath(tile));
    }
    await this.write(CHECKPOINT, utf8Of(note));
  }

  /** Returns the size of the checkpoint in the folder; 0 if it has none that can be read. */
  private async publishedSize(): Promise<number> {
    try {
      return readCheckpoint(await readFile(join(this.folder, CHECKPOINT))).size;
    } catch {
      return 0;
    }
  }

  private async writeEntries(index: number, width: number): Promise<void> {
    const from = index * TILE_WIDTH;
    const entries = await this.reader.entries(from, from + width);
    const path = entriesPath({ index, width });
    await this.write(path, entriesBundle(entries.map(({ text }) => utf8Of(text))));
    if (width === TILE_WIDTH) await this.removePartial(path);
  }

  /** Removes the narrower tiles of a tile that is full. Everything in them is in the full one. */
  private async removePartial(path: string): Promise<void> {
    await rm(join(this.folder, `${path}.p`), { recursive: true, force: true });
  }

  private async write(path: string, bytes: Uint8Array): Promise<void> {
    const whole = join(this.folder, path);
    await mkdir(dirname(whole), { recursive: true });
    const beside = `${whole}.next`;
    const file = await open(beside, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, whole);
  }
}
