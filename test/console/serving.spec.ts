import { expect, it } from '@jest/globals';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';

let server: ConsoleServer;
let browser: TestBrowser;

openConsole(
  (opened) => {
    ({ server, browser } = opened);
  },
  { SHOEPRINT_BASE_PATH: '/floor' },
);

const page = (path: string, headers = {}): Promise<Response> =>
  fetch(`${server.url}/console/${path}`, { headers, redirect: 'manual' });

async function assets(): Promise<readonly string[]> {
  const html = await (await page('')).text();
  return [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  );
}

it('leads from the address of the server to the console', async () => {
  const answer = await fetch(`${server.url}/`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/floor/console/']);
});

it('answers every address of a screen with the page, which asks again but does not load again', async () => {
  for (const path of ['', 'queue?severity=1', 'findings/a%2Fb', 'nowhere']) {
    const answer = await page(path);
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
      path,
      200,
      'no-cache',
    ]);
    expect(await answer.text()).toContain('<base href="/floor/console/"');
    const again = await page(path, { 'if-none-match': answer.headers.get('etag') });
    expect(again.status).toBe(304);
  }
});

it('serves each asset compressed and for ever, and an unknown one not at all', async () => {
  const found = await assets();
  expect(found.length).toBeGreaterThan(1);
  for (const path of found) {
    const answer = await page(path, { 'accept-encoding': 'br' });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await answer.arrayBuffer();
  }
  const unknown = await page('assets/index-of-yesterday.js');
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([
    404,
    'application/problem+json',
  ]);
});

/**
 * The style sheets that React Aria and Observable Plot add to the page, by their hashes. The page
 * adds no other, and no script but its own.
 */
const ADDED_STYLES = [
  'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o=',
  'sha256-+TfQir1nvDucAdvE6XUQBt4ayUjpAWkbw2kCdSfekHM=',
];

/** Every directive of the policy, exactly. */
const POLICY = {
  'default-src': `'none'`,
  'script-src': `'self'`,
  'style-src': `'self' ${ADDED_STYLES.map((hash) => `'${hash}'`).join(' ')}`,
  'img-src': `'self' data:`,
  'font-src': `'self'`,
  'connect-src': `'self'`,
  'worker-src': `'self'`,
  'manifest-src': `'self'`,
  'base-uri': `'self'`,
  'form-action': `'none'`,
  'frame-ancestors': `'none'`,
  'require-trusted-types-for': `'script'`,
  'trusted-types': 'shoeprint',
};

/** Returns the directives of a policy. Throws for one that is there twice. */
function policyOf(headers: Headers): Readonly<Record<string, string>> {
  const directives = (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
    const [name = '', ...values] = directive.trim().split(' ');
    return [name, values.join(' ')] as const;
  });
  const policy = Object.fromEntries(directives);
  if (Object.keys(policy).length < directives.length) throw new Error('a directive is there twice');
  return policy;
}

/** The whole policy of headers of the console, exactly. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

it.each(['', 'queue', 'before-paint.js', 'icon.svg', '.vite'])(
  'allows scripts and styles of this server only, and no feature of the device, whatever the address (%j)',
  async (path) => {
    const { headers } = await page(path);
    expect(policyOf(headers)).toEqual(POLICY);
    for (const [name, value] of Object.entries(HEADERS))
      expect([name, headers.get(name)]).toEqual([name, value]);
  },
);

it.each(['assets/../../../../package.json', 'assets/%2e%2e/%2e%2e/package.json'])(
  'allows nothing at all in an answer that does not belong to the console (%j)',
  async (path) => {
    const { headers, status } = await page(path);
    expect(status).toBe(404);
    expect(policyOf(headers)).toEqual({
      'default-src': `'none'`,
      'object-src': `'none'`,
      'base-uri': `'none'`,
      'frame-ancestors': `'none'`,
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  },
);

it('shows the console under a base path, and says of an unknown address that there is no such page', async () => {
  const window = await browser.visitAs('pit-boss', 'nowhere');
  expect(new URL(window.url()).pathname).toBe('/floor/console/nowhere');
  await window.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await window.getByRole('link', { name: 'Queue' }).click();
  await window.waitForURL('**/floor/console/queue');
  await window.getByText('● live').waitFor();
  await window.context().close();
});
