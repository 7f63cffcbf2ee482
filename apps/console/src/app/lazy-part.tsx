import { type FunctionComponent, type ReactNode, useEffect, useState } from 'react';
import { useWords } from '../words/words.js';
import { loadPart } from './session/outdated.js';

/** A component whose file is loaded when it is first shown, or ahead by `preload`. */
export type LazyPart<Props> = FunctionComponent<Props> & {
  /** Loads the file. If that fails, the failure is shown with the component. */
  readonly preload: () => Promise<void>;
};

/**
 * Returns a component that is loaded when it is first shown. Meanwhile `Meanwhile` stands in its
 * place. If it cannot be loaded it throws, and is loaded again when it is shown again: what
 * `React.lazy` could not load stays broken.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  Meanwhile: FunctionComponent = Loading,
): LazyPart<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  const loadOnce = async (): Promise<void> => {
    Loaded ??= await load();
  };
  function Part(props: Props): ReactNode {
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    const [, render] = useState(false);
    useEffect(() => {
      // the file may have come since this was rendered
      loadPart(loadOnce).then(
        () => render(true),
        (error: unknown) => setFailure({ error }),
      );
    }, []);
    if (failure) throw failure.error;
    return Loaded ? <Loaded {...props} /> : <Meanwhile />;
  }
  return Object.assign(Part, { preload: () => loadOnce().catch(() => undefined) });
}

function Loading(): ReactNode {
  const words = useWords();
  return (
    <p role="status" data-reading>
      {words('shell.loading')}
    </p>
  );
}
