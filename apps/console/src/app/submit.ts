import { type SubmitEvent, useState } from 'react';

/** The state of a form: what was refused last, whether it is being sent, and how it is sent. */
export interface Submission {
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (event: SubmitEvent) => void;
}

/** Sends a form once at a time. What `send` throws is kept as `error` until it is sent again. */
export function useSubmit(send: () => Promise<void>): Submission {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return {
    error,
    isBusy,
    onSubmit: (event) => {
      event.preventDefault();
      if (!isBusy) void submit();
    },
  };
}
