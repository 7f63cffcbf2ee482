import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { shoeprint } from '../cli/shoeprint.js';
import type { TestBrowser } from '../kit/browser.js';
import type { ConsoleServer } from '../kit/console-server.js';
import { openConsole } from '../kit/open-console.js';
import { sentTo } from '../kit/sent-to.js';

const TEST_MS = 180_000;
/** How long a package of a table may take on a busy machine. */
const MADE = { timeout: 90_000 };
let server: ConsoleServer;
let browser: TestBrowser;

openConsole((opened) => {
  ({ server, browser } = opened);
});

it(
  'makes a package for a person who asks for it, and its reader finds it intact without the server',
  async () => {
    const page = await browser.visitAs('compliance', 'queue');
    await page.getByRole('link', { name: 'Evidence' }).click();
    await page.getByText('No packages yet.').waitFor();
    await page.getByRole('button', { name: 'New package' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('a shoe', { exact: true }).click();
    await sheet.getByLabel('Table', { exact: true }).fill('B04');
    await sheet.getByLabel('Shoe', { exact: true }).fill('a shoe that never was');
    await sheet.getByLabel('Recipient').fill('the commission');
    await sheet.getByLabel('Purpose').fill('a question of July');
    await sheet.getByRole('button', { name: 'Request the package' }).click();
    const failed = page.getByRole('row').filter({ hasText: 'a shoe that never was' });
    await failed.getByText('Not made.').waitFor(MADE);

    await page.getByRole('button', { name: 'New package' }).click();
    await sheet.getByLabel('Table', { exact: true }).fill('B04');
    await sheet.getByLabel('Recipient').fill('the commission');
    await sheet.getByLabel('Purpose').fill('a question of July');
    await sheet.getByText('CSV', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Request the package' }).click();
    const made = page.getByRole('row').filter({ hasText: 'Table B04' });
    await made.getByText(/made: [\d,]+ records/).waitFor(MADE);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      made.getByRole('link', { name: 'Download: Table B04' }).click(),
    ]);
    const file = join(server.data, 'b04.zip');
    await download.saveAs(file);
    const key = shoeprint(['key', 'show', '--data', server.data]).stdout;
    const [, vkey = ''] = /^log\s+(\S+)$/m.exec(key) ?? [];
    const verifier = ['dist/shoeprint-verify.mjs', file, '--key', vkey];
    expect(execFileSync(process.execPath, verifier, { encoding: 'utf8' })).toMatch(/^INTACT/m);

    await made.getByRole('button', { name: 'Details: Table B04' }).click();
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    await sheet.getByText(digest).waitFor();
    const note = await sheet.locator('.copied-text').last().innerText();
    const checkpoint = join(server.data, 'kept-checkpoint');
    writeFileSync(checkpoint, `${note.trimEnd()}\n`);
    expect(
      execFileSync(process.execPath, [...verifier, '--trusted', checkpoint], { encoding: 'utf8' }),
    ).toMatch(/^INTACT/m);
    await sheet.getByRole('button', { name: 'Remove the package' }).click();
    await made.getByText('removed: request it again').waitFor();
    expect(await made.getByRole('link').count()).toBe(0);
    await page.context().close();
  },
  TEST_MS,
);

it(
  'leads from a finding and from a shoe to a package of it, and refuses a purpose that is too long',
  async () => {
    const ask = await sentTo(server, 'compliance');
    const { lines } = (await ask('GET', '/v1/findings?table=B04&code=TC-08&limit=1')) as {
      lines: readonly [{ readonly id: string; readonly shoeRef: string }];
    };
    const [{ id, shoeRef }] = lines;
    const page = await browser.visitAs('compliance', `findings/${id}`);
    await page.getByRole('link', { name: 'Evidence package' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.getByLabel('Id of the finding').inputValue()).toBe(id);
    await sheet.getByLabel('Recipient').fill('the commission');
    await sheet.getByLabel('Purpose').fill('x'.repeat(401));
    await sheet.getByRole('button', { name: 'Request the package' }).click();
    await sheet.getByText('purpose must be 1 to 400 characters').waitFor();
    await sheet.getByLabel('Purpose').fill('a complaint');
    await sheet.getByRole('button', { name: 'Request the package' }).click();
    const row = page.getByRole('row').filter({ hasText: `Finding ${id}` });
    await row.getByText(/made: [\d,]+ records/).waitFor(MADE);

    await page.goto(browser.addressOf(`tables/B04/shoes/${encodeURIComponent(shoeRef)}`));
    await page.getByRole('link', { name: 'Evidence package' }).click();
    expect(await sheet.getByLabel('Table', { exact: true }).inputValue()).toBe('B04');
    expect(await sheet.getByLabel('Shoe', { exact: true }).inputValue()).toBe(shoeRef);
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await page.context().close();

    const theirs = await browser.visitAs('pit-boss', `findings/${id}`);
    await theirs.getByRole('button', { name: 'Lines of the record' }).waitFor();
    expect(await theirs.getByRole('link', { name: 'Evidence package' }).count()).toBe(0);
    await theirs.context().close();
  },
  TEST_MS,
);
