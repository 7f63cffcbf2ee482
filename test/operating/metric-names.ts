import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';

const NAME = /['"`](shoeprint_[a-z0-9_]+)['"`]/g;

/**
 * Returns the names of all metrics that apps and libraries register. The sources contain each name
 * as it is served.
 */
export function ownMetrics(): Set<string> {
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files
    .filter((name) => /\/src\/.*\.ts$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(name, 'utf8'))
    .filter((text) => text.includes(`from 'prom-client'`));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(NAME)].map((match) => match[1] as string)),
  );
}

/** The names of Node's metrics of the process. */
export async function processMetrics(): Promise<Set<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  registry.clear();
  return new Set(names);
}
