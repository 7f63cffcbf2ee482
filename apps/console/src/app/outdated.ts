const RELOADED_AT = 'shoeprint.reloaded-at';
const AGAIN_MS_MIN = 60_000;

/**
 * Reloads the page if a part of it cannot be loaded: the server has a newer build, whose files have
 * other names. Once a minute at most, so that a missing file cannot make the page reload for ever.
 * Reloads it too if the browser had set it aside and shows it again: nothing reached it meanwhile.
 */
export function reloadWhenOutdated(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < AGAIN_MS_MIN) return; // the screen says what failed
    event.preventDefault();
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}
