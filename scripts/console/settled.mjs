/** In how many frames in a row nothing may be read. A read may begin when another one ends. */
const FRAMES = 5;
const GIVEN_UP_MS = 30_000;

/**
 * Waits until a page of the console has its heading and all that it reads. Requests do not show
 * it: the stream stays open, and the browser never reports the script of a shared worker as
 * finished. So the page says itself that it reads.
 * @param {import('playwright-core').Page} page
 */
export async function settled(page) {
  await page.locator('main h1').first().waitFor();
  const isSettled = await page.evaluate(
    `new Promise((resolve) => {
      const until = performance.now() + ${GIVEN_UP_MS};
      let frames = 0;
      const look = () => {
        const isReading = document.querySelector('[data-reading], [aria-busy="true"]') !== null;
        frames = isReading ? 0 : frames + 1;
        if (frames === ${FRAMES}) resolve(true);
        else if (performance.now() > until) resolve(false);
        else requestAnimationFrame(look);
      };
      look();
    })`,
  );
  if (!isSettled) throw new Error(`${page.url()} still reads after ${GIVEN_UP_MS} ms`);
}
