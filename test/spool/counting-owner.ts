import type { SpoolFrame, SpoolLine, SpoolNotice, SpoolOwner } from '#spool';

/** Returns a frame that makes one content, which is its number, and perhaps is long. */
export const numbered = (id: number, padding = 0): SpoolFrame => ({
  at: 1_700_000_000_000 + id,
  up: id / 10,
  port: 'shoe',
  raw: Buffer.from(`frame ${id}`).toString('hex'),
  integrity: 'ok',
  made: [`{"id":${id},"padding":"${'x'.repeat(padding)}"}`],
});

/** Returns the number of a content that `numbered` made. Throws if it is not the same any more. */
export function numberOf(content: string): number {
  const { id, padding } = JSON.parse(content) as { id: number; padding?: string };
  if (padding !== undefined && /[^x]/.test(padding)) throw new Error(`content ${id} has changed`);
  return id;
}

/** Remembers the number of every frame that the spool has kept, in order, and every notice. */
export class CountingOwner implements SpoolOwner {
  ids: number[] = [];
  /** The numbers of the lines that had frames. */
  lines: number[] = [];
  readonly notices: SpoolNotice[] = [];
  restored: unknown;

  restore(state: unknown): void {
    this.restored = state;
    const { ids, lines } = (state ?? { ids: [], lines: [] }) as { ids: number[]; lines: number[] };
    this.ids = [...ids];
    this.lines = [...lines];
  }

  apply({ n, frames }: SpoolLine): void {
    this.lines.push(n);
    this.ids.push(...frames.flatMap(({ made }) => made.map(numberOf)));
  }

  state(): unknown {
    return { ids: this.ids, lines: this.lines };
  }

  notice(notice: SpoolNotice): void {
    this.notices.push(notice);
  }

  /** Returns the notices of one kind. */
  of<K extends SpoolNotice['kind']>(kind: K): Extract<SpoolNotice, { kind: K }>[] {
    return this.notices.filter((each) => each.kind === kind) as Extract<SpoolNotice, { kind: K }>[];
  }
}
