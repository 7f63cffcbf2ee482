import { SingleBar } from 'cli-progress';
import type { ExportStep } from '#export';

const WORDS: Readonly<Record<ExportStep | 'waiting' | 'recording', string>> = {
  waiting: 'waiting for its turn',
  sealing: 'waiting for a seal',
  choosing: 'choosing records',
  writing: 'writing',
  verifying: 'verifying',
  packing: 'packing',
  made: 'made',
  recording: 'recording in the house',
};

/** A step of an export, as it is shown. */
export type ShownStep = keyof typeof WORDS;

/** Shows how far an export is, on standard error if that is a terminal. */
export class ExportShown {
  private bar: SingleBar | undefined;

  /** Shows a step, and how much of it is done, from 0 to 1, where that is known. */
  at(step: ShownStep, share?: number | null): void {
    if (!process.stderr.isTTY) return;
    if (!this.bar) {
      this.bar = new SingleBar({
        format: '{bar} {step}',
        barCompleteChar: '█',
        barIncompleteChar: '░',
        clearOnComplete: true,
        gracefulExit: false,
        linewrap: true,
        stream: process.stderr,
        fps: 10,
      });
      this.bar.start(100, 0, { step: WORDS[step] });
    }
    this.bar.update(Math.round((share ?? 0) * 100), { step: WORDS[step] });
  }

  /** Removes what is shown. */
  done(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}
