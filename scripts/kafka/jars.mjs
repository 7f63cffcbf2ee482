// Apache Kafka as plain jars, fetched once by Maven into the cache folder of node_modules.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '../../node_modules/.cache/shoeprint');

/** The version that pom.xml names. */
export const kafkaVersion = String(
  /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(
    readFileSync(join(here, 'pom.xml'), 'utf8'),
  )?.[1],
);

/**
 * Returns a sentence that says what this machine lacks to run a broker, or undefined if it lacks
 * nothing.
 */
export async function whyNoBroker() {
  const java = await answers('java', ['-version']);
  if (!java) return 'this machine has no Java (17 or later)';
  const major = Number(/version "(\d+)/.exec(java)?.[1]);
  if (!(major >= 17)) return `Java is too old here, Kafka ${kafkaVersion} needs 17 or later`;
  if (existsSync(folder()) || (await answers('mvn', ['-v']))) return undefined;
  return 'this machine has no Maven to fetch the jars with';
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function answers(command, args) {
  try {
    const { stdout, stderr } = await run(command, args);
    return stdout + stderr;
  } catch {
    return undefined;
  }
}

const folder = () => join(cache, `kafka-${kafkaVersion}`);

/**
 * Returns the folder with the jars, and fetches it if it does not exist. A rename creates it
 * atomically: if two processes fetch at the same time, both use the folder of the first.
 */
export async function kafkaJars() {
  if (existsSync(folder())) return folder();
  await mkdir(cache, { recursive: true });
  const fetched = await mkdtemp(join(cache, 'kafka-fetching-'));
  try {
    await run(
      'mvn',
      [
        '-q',
        '-B',
        '-f',
        join(here, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${fetched}`,
        '-DincludeScope=runtime',
      ],
      { maxBuffer: 1 << 24 },
    );
    await rename(fetched, folder()).catch((/** @type {unknown} */ error) => {
      if (!existsSync(folder())) throw error;
    });
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? error.stdout : undefined;
    throw new Error(
      `Maven could not fetch Kafka ${kafkaVersion}: ${String(said || error).slice(0, 2000)}`,
      { cause: error },
    );
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
  return folder();
}
