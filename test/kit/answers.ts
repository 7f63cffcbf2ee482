import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Conformance, type Received } from './conformance.js';

const REPORTER = pathToFileURL('test/setup/report-answers.mjs').href;
const SETTINGS =
  /^(npm_|NEST_|SHOEPRINT_|KAFKA_|DATABASE_URL|NODE_OPTIONS|PG|NO_COLOR|FORCE_COLOR)/;

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-answers-'));

/**
 * Returns the environment of a server that this test file starts: that of this process without the
 * settings of the programs, and `env`. The server reports its answers, and the file fails if one of
 * them does not conform to the server's OpenAPI document.
 */
export function serverEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  return {
    ...Object.fromEntries(own),
    NODE_OPTIONS: `--import=${REPORTER}`,
    TEST_ANSWERS: folder,
    ...env,
  };
}

afterAll(() => {
  const found = new Set(answerFaults());
  rmSync(folder, { recursive: true });
  if (found.size > 0)
    throw new Error(
      `answers that the document does not describe:\n${[...found].slice(0, 20).join('\n')}`,
    );
});

/** Returns the faults of the reported answers. Servers with the same document share its validators. */
function answerFaults(): string[] {
  const documents = new Map<string, Conformance>();
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
      const document = join(folder, name.replace(/ndjson$/, 'json'));
      // A server beyond loopback shows its document to nobody without a token.
      if (lines.length === 0 || !existsSync(document)) return [];
      const text = readFileSync(document, 'utf8');
      const conformance = documents.get(text) ?? new Conformance(JSON.parse(text) as OpenAPIObject);
      documents.set(text, conformance);
      return lines
        .map((line) => JSON.parse(line) as Received & { readonly url: string })
        .flatMap((answer) =>
          conformance.faults(answer).map((fault) => `${answer.method} ${answer.url}: ${fault}`),
        );
    });
}
