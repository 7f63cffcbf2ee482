import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from '../kit/processes.js';
import type { System } from './system.js';

const READ_MS_MAX = 15_000;
const BETWEEN_MS = 300;

/**
 * Asks every api for a list again and again, as screens do, and every program whether it is ready,
 * whether it answers or not.
 */
export class Readers {
  /** Requests that got no answer at all within 15 seconds. */
  hung = 0;
  /** When reads were answered 200, by api. */
  private readonly answered = new Map<string, number[]>();
  private readonly last = new Map<string, string>();
  private isOver = false;
  private readonly asking: Promise<void>[];

  constructor(private readonly system: Pick<System, 'urls' | 'apis' | 'auditors' | 'reader'>) {
    const { urls, apis, auditors } = system;
    for (const url of urls) this.answered.set(url, []);
    this.asking = [
      ...urls.map((url) => this.ask(() => this.read(url))),
      ...[...apis, ...auditors].map((program) => this.ask(() => this.probe(program))),
    ];
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

  private async ask(once: () => Promise<void>): Promise<void> {
    const waiting = new Set<Promise<void>>();
    while (!this.isOver) {
      const asked: Promise<void> = once().finally(() => waiting.delete(asked));
      waiting.add(asked);
      await pause(BETWEEN_MS);
    }
    await Promise.all(waiting);
  }

  /** Asks a program whether it is ready. One that a test pauses need not answer. */
  private async probe(program: Running): Promise<void> {
    const { pauseCount, isPaused } = program;
    if (isPaused) return;
    try {
      const answer = await fetch(program.readyz, { signal: AbortSignal.timeout(READ_MS_MAX) });
      await answer.arrayBuffer();
    } catch (error) {
      if (program.pauseCount === pauseCount) this.failed(error as Error);
    }
  }

  private async read(url: string): Promise<void> {
    try {
      const answer = await fetch(`${url}/v1/tables?limit=1`, {
        headers: { authorization: `Bearer ${this.system.reader}` },
        signal: AbortSignal.timeout(READ_MS_MAX),
      });
      await answer.arrayBuffer();
      this.last.set(url, String(answer.status));
      if (answer.ok) this.answered.get(url)?.push(performance.now());
    } catch (error) {
      this.last.set(url, (error as Error).message);
      this.failed(error as Error);
    }
  }

  /** Counts a request that hung. A connection that broke, or was refused, did not. */
  private failed({ name }: Error): void {
    if (name === 'TimeoutError') this.hung += 1;
  }
}
