import { useCallback, useSyncExternalStore } from 'react';
import type { Command } from '../act.js';

/** What is called when the sheet that is wanted changes, by the finding whose desk is shown. */
const desks = new Map<string, () => void>();
let wanted: { readonly finding: string; readonly command: Command } | undefined;

/**
 * Opens the sheet of a command on a finding, or has it open as soon as the finding is shown.
 * Returns whether the finding is shown now.
 */
export function wantSheet(finding: string, command: Command): boolean {
  wanted = { finding, command };
  desks.get(finding)?.();
  return desks.has(finding);
}

/** Returns the sheet that is wanted on a finding, and a function that forgets it. */
export function useWantedSheet(finding: string): readonly [Command | undefined, () => void] {
  const subscribe = useCallback(
    (changed: () => void) => {
      desks.set(finding, changed);
      return () => {
        if (desks.get(finding) !== changed) return;
        desks.delete(finding);
        if (wanted?.finding === finding) wanted = undefined;
      };
    },
    [finding],
  );
  const command = useSyncExternalStore(subscribe, () =>
    wanted?.finding === finding ? wanted.command : undefined,
  );
  const forget = (): void => {
    if (wanted?.finding !== finding) return;
    wanted = undefined;
    desks.get(finding)?.();
  };
  return [command, forget];
}
