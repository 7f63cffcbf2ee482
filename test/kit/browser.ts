import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  chromium as playwright,
  type ConsoleMessage,
  type Page,
} from 'playwright-core';
import type { ConsoleServer } from './console-server.js';

/** How long a page may take for anything. Pages of a busy machine are slow. */
const PAGE_MS_MAX = 50_000;
/** Chromium reports each refused request. The refusals of the api are answers, and pages show them. */
const REFUSED_BY_THE_API = /^Failed to load resource: /;

/** A real browser, and what its pages complained about. */
export class TestBrowser {
  /** Console messages, violations of the policy and unhandled rejections: there must be none. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly server: ConsoleServer,
  ) {}

  /** Starts Chromium, which the setup of the tests has unpacked. */
  static async open(server: ConsoleServer): Promise<TestBrowser> {
    const browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    return new TestBrowser(browser, server);
  }

  /** Opens a page in a context of its own: nobody is signed in. `path` begins after `/console/`. */
  async visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(PAGE_MS_MAX);
    const page = await context.newPage();
    this.listen(page);
    await page.goto(this.addressOf(path));
    return page;
  }

  /**
   * Opens a page as one of the people of the sample day, in a browser where they have signed in
   * before. The form for that takes a second, and has tests of its own.
   */
  async visitAs(person: string, path: string, options?: BrowserContextOptions): Promise<Page> {
    const { origin, hostname } = new URL(this.server.url);
    const session = {
      ...{ name: 'shoeprint-session', value: await this.server.tokenOf(person) },
      ...{ domain: hostname, path: '/', expires: -1 },
      ...{ httpOnly: true, secure: false, sameSite: 'Strict' as const },
    };
    const account = { name: 'shoeprint.account', value: person };
    const page = await this.visit(path, {
      ...options,
      storageState: { cookies: [session], origins: [{ origin, localStorage: [account] }] },
    });
    await page.waitForSelector('header.bar');
    return page;
  }

  /** Opens a further window of the same browser: it shares the session of the first. */
  async visitBeside(page: Page, path: string): Promise<Page> {
    const other = await page.context().newPage();
    this.listen(other);
    await other.goto(this.addressOf(path));
    return other;
  }

  /** Fills in the form for signing in, on a page that shows it. */
  async signIn(page: Page, person: string): Promise<void> {
    await page.fill('input[name=username]', person);
    await page.fill('input[name=password]', this.server.passwordOf(person));
    await page.press('input[name=password]', 'Enter');
    await page.waitForSelector('header.bar');
  }

  /** Returns the address of a place of the console. */
  addressOf(path: string): string {
    return `${this.server.url}/console/${path}`;
  }

  /** Hears what a page complains about. */
  private listen(page: Page): void {
    page.on('console', (message) => {
      if (!isAnswerOfTheApi(message)) this.complaints.push(`${message.type()} ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`error ${error.stack ?? error.message}`));
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

const isAnswerOfTheApi = (message: ConsoleMessage): boolean =>
  REFUSED_BY_THE_API.test(message.text()) && message.location().url.includes('/v1/');
