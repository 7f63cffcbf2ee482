import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { newKey, Refused } from '../api/client.js';
import type { Whole } from '../finding/coup/whole.js';
import { act, type BodyOf, type Command, type Taken } from './act.js';
import { isUndecided } from './decision.js';

/** A command that took no effect, with what was tried. */
export interface Failed {
  readonly command: Command;
  readonly body: Readonly<Record<string, unknown>>;
  readonly error: unknown;
}

/** Sends commands on one finding, and keeps what became of the last one. */
export interface Acts {
  readonly busy: Command | undefined;
  readonly failed: Failed | undefined;
  /** Set while the person must confirm who they are. Call it with whether they did. */
  readonly asking: ((isConfirmed: boolean) => void) | undefined;
  /** Resolves with the act, or undefined if it took no effect: `failed` says why. */
  readonly send: <Name extends Command>(
    command: Name,
    body: BodyOf<Name>,
  ) => Promise<Taken | undefined>;
  /**
   * Claims the finding again for the person who holds it. The person did not ask for it, so it
   * sets neither `busy` nor `failed`, and asks for no confirmation. Resolves as `send` does.
   */
  readonly renew: (body: BodyOf<'claim'>) => Promise<Taken | undefined>;
  readonly forget: () => void;
}

/**
 * Returns what sends commands on a finding. The same command with the same body keeps its key until
 * the server has decided about it. Where a confirmation is due, it waits for it and goes on. A
 * command that is sent during a renewal waits for it, or the renewal could claim what was released.
 */
export function useActs(finding: string): Acts {
  const client = useQueryClient();
  const [busy, setBusy] = useState<Command>();
  const [failed, setFailed] = useState<Failed>();
  const { asking, confirmed } = useConfirming();
  const trySend = useSender(finding, confirmed);
  const renewal = useRef<Promise<unknown>>(undefined);
  /** Shows the finding as an act left it. Reads the history, and what may be done now. */
  const show = async (sent: Promise<Taken>): Promise<Taken> => {
    try {
      const taken = await sent;
      client.setQueryData<Whole>(['finding', finding], (whole) => whole && withAct(whole, taken));
      return taken;
    } finally {
      void client.invalidateQueries({ queryKey: ['finding', finding] });
    }
  };
  const send: Acts['send'] = async (command, body) => {
    setBusy(command);
    setFailed(undefined);
    try {
      await renewal.current;
      return await show(trySend(command, body));
    } catch (error) {
      if (!isConfirmFirst(error)) setFailed({ command, body: body as Failed['body'], error });
      return undefined;
    } finally {
      setBusy(undefined);
    }
  };
  const renew: Acts['renew'] = (body) => {
    // a failure shows as a claim that runs on to its end, with a warning before it
    const renewed = show(act({ command: 'claim', finding, body, key: newKey() })).catch(
      () => undefined,
    );
    renewal.current = renewed;
    return renewed;
  };
  return { busy, failed, asking, send, renew, forget: () => setFailed(undefined) };
}

/** Returns the open question whether it is the person, and a function that asks it. */
function useConfirming() {
  const [asking, setAsking] = useState<Acts['asking']>();
  const confirmed = (): Promise<boolean> =>
    new Promise((resolve) => {
      setAsking(() => (isConfirmed: boolean) => {
        setAsking(undefined);
        resolve(isConfirmed);
      });
    });
  return { asking, confirmed };
}

/** Returns a function that sends a command under a key that it keeps while nothing is decided. */
function useSender(finding: string, confirmed: () => Promise<boolean>) {
  const keys = useRef(new Map<string, string>());
  const trySend = async <Name extends Command>(
    command: Name,
    body: BodyOf<Name>,
  ): Promise<Taken> => {
    const what = `${command} ${JSON.stringify(body)}`;
    const key = keys.current.get(what) ?? newKey();
    keys.current.set(what, key);
    try {
      const taken = await act({ command, finding, body, key });
      keys.current.delete(what);
      return taken;
    } catch (error) {
      if (isConfirmFirst(error) && (await confirmed())) return trySend(command, body);
      if (!isUndecided(error)) keys.current.delete(what);
      throw error;
    }
  };
  return trySend;
}

/** Returns a finding with the review that an act led to, and the clock of the server as of then. */
const withAct = (whole: Whole, { review, at }: Taken): Whole => ({
  ...whole,
  review: { ...whole.review, ...review },
  clockAheadMs: Date.parse(at) - Date.now(),
});

const isConfirmFirst = (error: unknown): boolean =>
  error instanceof Refused && error.is === 'confirm-first';
