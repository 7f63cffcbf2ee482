import type { Page } from 'playwright-core';

/**
 * Resolves with when an element of a page shows all of some texts, in its content or in labels
 * within it, in ms since 1970. The page takes the time itself, for this process may be kept
 * waiting. Call it before what brings the texts about.
 */
export const shownAt = (
  page: Page,
  selector: string,
  ...texts: readonly string[]
): Promise<number> =>
  page.evaluate<number>(
    `new Promise((resolve) => {
      const observer = new MutationObserver(look);
      const everything = { subtree: true, childList: true, characterData: true };
      observer.observe(document.body, { ...everything, attributes: true });
      look();
      function look() {
        const element = document.querySelector(${JSON.stringify(selector)});
        if (!element) return;
        const labels = [...element.querySelectorAll('[aria-label]')].map((each) => each.ariaLabel);
        const shown = [element.textContent, ...labels].join('\\n');
        if (!${JSON.stringify(texts)}.every((text) => shown.includes(text))) return;
        observer.disconnect();
        resolve(Date.now());
      }
    })`,
  );
