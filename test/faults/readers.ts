import { setTimeout as pause } from 'node:timers/promises';

const READ_MS_MAX = 15_000;
const BETWEEN_MS = 300;

/** Asks every api for a list again and again, as screens do, whether it answers or not. */
export class Readers {
  /** Reads that got no answer at all within 15 seconds. */
  hung = 0;
  /** When reads were answered 200, by api. */
  private readonly answered = new Map<string, number[]>();
  private readonly last = new Map<string, string>();
  private isOver = false;
  private readonly asking: Promise<void>[];

  constructor(
    urls: readonly string[],
    private readonly token: string,
  ) {
    this.asking = urls.map((url) => this.ask(url));
  }

  /** Returns when each api first answered a read after a moment, or undefined for one that did not. */
  firstAfter(mark: number): (number | undefined)[] {
    return [...this.answered.values()].map((times) => times.find((time) => time > mark));
  }

  /** Returns what each api answered last. */
  lastAnswers(): string {
    return JSON.stringify([...this.last]);
  }

  /** Stops asking, and resolves once the last read has ended. */
  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.asking);
  }

  private async ask(url: string): Promise<void> {
    this.answered.set(url, []);
    const reads = new Set<Promise<void>>();
    while (!this.isOver) {
      const read = this.read(url).finally(() => reads.delete(read));
      reads.add(read);
      await pause(BETWEEN_MS);
    }
    await Promise.all(reads);
  }

  private async read(url: string): Promise<void> {
    try {
      const answer = await fetch(`${url}/v1/tables?limit=1`, {
        headers: { authorization: `Bearer ${this.token}` },
        signal: AbortSignal.timeout(READ_MS_MAX),
      });
      await answer.arrayBuffer();
      this.last.set(url, String(answer.status));
      if (answer.ok) this.answered.get(url)?.push(performance.now());
    } catch (error) {
      const { name, message } = error as Error;
      this.last.set(url, message);
      if (name === 'TimeoutError') this.hung += 1;
    }
  }
}
