import type { Page, Route } from 'playwright-core';
import { eventually } from './eventually.js';

/** An answer that a page does not get until it is released. */
interface HeldAnswer {
  /** Waits until the server has answered. What happens later is not in the answer. */
  taken(): Promise<unknown>;
  /** Resolves once the page has been given the answer. */
  release(): Promise<void>;
}

/** Holds the answer to the first request of an address that a page makes from now on. */
export async function holdFirst(page: Page, address: string): Promise<HeldAnswer> {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let isTaken = false;
  const passOn = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    isTaken = true;
    await gate;
    await route.fulfill({ response });
  };
  let passing = Promise.resolve();
  let isHeld = false;
  // the route stays: one that ends can lose a request that is sent at that moment
  await page.route(address, (route) => {
    if (isHeld) return route.fallback();
    isHeld = true;
    return (passing = passOn(route));
  });
  return {
    taken: () => eventually(`the answer to ${address}`, () => isTaken),
    release: () => {
      open();
      return passing;
    },
  };
}
