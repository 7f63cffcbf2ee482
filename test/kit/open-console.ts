import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { built } from '../cli/shoeprint.js';
import { TestBrowser } from './browser.js';
import { type ConsoleServer, startConsoleServer } from './console-server.js';

const START_MS = 360_000;

/** A server with the sample day, and a browser that visits its console. */
export interface OpenConsole {
  readonly server: ConsoleServer;
  readonly browser: TestBrowser;
}

/**
 * Opens a console of its own for the tests of a file, and closes it after them. A test fails if a
 * page complained during it. `onOpen` gets the console before the first test.
 */
export function openConsole(
  onOpen: (opened: OpenConsole) => void | Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): void {
  let server: ConsoleServer | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    built();
    server = await startConsoleServer(settings);
    browser = await TestBrowser.open(server);
    await onOpen({ server, browser });
  }, START_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => {
    expect(browser?.complaints.splice(0)).toEqual([]);
  });
}
