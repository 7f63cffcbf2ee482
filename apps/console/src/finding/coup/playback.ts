import { useEffect, useState } from 'react';

/** How the cards of a coup are stepped through and played. */
export interface Playback {
  /** The number of cards that lie on the table, from 0. */
  readonly step: number;
  readonly steps: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly show: (step: number) => void;
  readonly togglePlay: () => void;
  readonly changeSpeed: () => void;
}

const SPEEDS = [1, 2, 4] as const;
const FIRST_MS = 800;
const UNKNOWN_MS = 1_500;
const GAP_MS_MAX = 60_000;

/**
 * Returns how long the next card is waited for, in milliseconds at normal speed: as long as at the
 * table, a minute at most. Where the times cannot be compared, it is 1.5 seconds.
 */
export function gapBefore(times: readonly (number | null)[], next: number): number {
  if (next === 0) return FIRST_MS;
  const [before, at] = [times[next - 1] ?? null, times[next] ?? null];
  if (before === null || at === null || at < before) return UNKNOWN_MS;
  return Math.min(at - before, GAP_MS_MAX);
}

/** Plays cards at the pace of the table. Playing from the end begins again. */
export function usePlayback(
  times: readonly (number | null)[],
  step: number,
  onStep: (step: number) => void,
): Playback {
  const [isRunning, setRunning] = useState(false);
  const [pace, setPace] = useState(0);
  const speed = SPEEDS[pace % SPEEDS.length] ?? 1;
  const isPlaying = isRunning && step < times.length;
  const show = (next: number): void => onStep(Math.max(0, Math.min(times.length, next)));
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(() => onStep(step + 1), gapBefore(times, step) / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, step, speed, times, onStep]);
  return {
    step,
    steps: times.length,
    isPlaying,
    speed,
    show: (next) => {
      setRunning(false);
      show(next);
    },
    togglePlay: () => {
      if (!isPlaying && step >= times.length) show(0);
      setRunning(!isPlaying);
    },
    changeSpeed: () => setPace(pace + 1),
  };
}
