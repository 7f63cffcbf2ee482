const RELOADED_AT = 'shoeprint.reloaded-at';
const AGAIN_MS_MIN = 60_000;
const PAGE_MS_MAX = 5_000;

/**
 * Loads a part of the console. If that fails although the server answers, the server has a newer
 * build, whose files have other names: then the page is loaded again, once a minute at most, so
 * that a missing file cannot make it reload for ever. Otherwise it throws why.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < AGAIN_MS_MIN || !(await isPageThere())) throw error;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
    return new Promise<never>(() => undefined);
  }
}

/** Returns whether the server would answer if the page were loaded again. */
const isPageThere = (): Promise<boolean> =>
  fetch(document.baseURI, { cache: 'no-store', signal: AbortSignal.timeout(PAGE_MS_MAX) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Reloads the page if the browser had set it aside and shows it again: nothing reached it. */
export function reloadWhenSetAside(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}
