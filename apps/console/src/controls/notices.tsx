import { type ReactNode, useSyncExternalStore } from 'react';
import { Button } from './button.js';

/** A short message at the edge of the screen, with at most one thing to do about it. */
export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it stays, in milliseconds. */
  readonly ms?: number;
}

const STAYS_MS = 6_000;
const NOTICES_MAX = 3;
const listeners = new Set<() => void>();
let notices: readonly (Notice & { readonly id: number })[] = [];
let count = 0;

/** Shows a notice. A reader of the screen reads it when it is free. */
export function notify(notice: Notice): void {
  const id = (count += 1);
  set([...notices, { ...notice, id }].slice(-NOTICES_MAX));
  setTimeout(() => dismiss(id), notice.ms ?? STAYS_MS);
}

const dismiss = (id: number): void => set(notices.filter((each) => each.id !== id));

function set(next: typeof notices): void {
  notices = next;
  for (const listener of listeners) listener();
}

/** The place where notices appear. */
export function Notices(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    // an open sheet hides the rest of the page from readers of the screen, but not this
    <div role="status" className="notices no-print" data-react-aria-top-layer>
      {shown.map(({ id, text, action }) => (
        <div key={id} className="notice panel">
          <span>{text}</span>
          {action && (
            <Button
              onPress={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
