import type { LoggerService } from '@nestjs/common';
import type { Standalone } from './standalone.js';

/** Reports how a server starts and stops, to people or to a log. */
export interface StartReport {
  /** Runs a part of the start and reports its name and how long it took. */
  readonly step: <T>(what: string, work: () => Promise<T>) => Promise<T>;
  /** Reports something that an operator should know about the step under way. */
  readonly note: (line: string) => void;
  readonly ready: (server: Standalone) => void;
  readonly stopping: () => void;
}

/** Writes JSON lines without the password: they name the file that contains it. */
export const logReport = (logger: LoggerService): StartReport => ({
  step: async (what, work) => {
    const began = performance.now();
    const result = await work();
    logger.log({ message: 'started', what, ms: Math.round(performance.now() - began) });
    return result;
  },
  note: (line) => void logger.warn({ message: line }),
  ready: ({ url, signIn, sampleEvents, seal }) =>
    void logger.log({
      message: 'listening',
      url,
      signIn: signIn?.file,
      sampleEvents,
      sealKey: seal.vkey,
      safeKey: seal.safeKeyHere,
    }),
  stopping: () => undefined, // `runServer` logs it
});

/**
 * Writes twelve lines for a person at a terminal: each part with its duration, the key that seals,
 * and last the address and the sign-in.
 */
export function terminalReport(data: string): StartReport {
  const began = performance.now();
  process.stdout.write(`\n  Shoeprint starts on ${data}\n`);
  return {
    step: async (what, work) => {
      const stepBegan = performance.now();
      process.stdout.write(`  ${what.padEnd(WHAT_WIDTH)}`);
      try {
        const result = await work();
        process.stdout.write(`${secondsSince(stepBegan).padStart(SECONDS_WIDTH)}\n`);
        return result;
      } catch (error) {
        process.stdout.write('failed\n');
        throw error;
      }
    },
    note: (line) => void process.stdout.write(`\n    ${line}\n`),
    ready: (server) => process.stdout.write(readyText(server, secondsSince(began))),
    stopping: () => void process.stdout.write('\n  Stopping\n'),
  };
}

const WHAT_WIDTH = 30;
const SECONDS_WIDTH = 8;

const secondsSince = (began: number): string =>
  `${((performance.now() - began) / 1000).toFixed(1)} s`;

function readyText({ url, signIn, sampleEvents, seal }: Standalone, took: string): string {
  const lines = [
    `Ready in ${took}. Ctrl-C stops it and keeps the data.`,
    '',
    `Seals    ${seal.vkey}`,
    ...(seal.safeKeyHere === undefined
      ? []
      : [`         its second key belongs in a safe: move ${seal.safeKeyHere} there`]),
    `Open     ${url}/console/${sampleEvents > 0 ? ` (${sampleEvents.toLocaleString('en')} events of a sample day)` : ''}`,
    `Api      ${url}/docs`,
    `Sign in  ${signInText(signIn)}`,
    ...(signIn?.people ?? []).map(({ name, password }) => `         ${name}, password ${password}`),
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

function signInText(signIn: Standalone['signIn']): string {
  if (!signIn) return 'as before';
  const { name, password, file } = signIn;
  if (password !== undefined) return `${name}, password ${password}`;
  return file === undefined ? `${name}, with the password that was set` : `${name}, as in ${file}`;
}
