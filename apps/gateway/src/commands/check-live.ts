import { Decoder } from '#audit';
import type { LintProblem } from '#baccarat';
import { Refusal } from '#process';
import {
  gatewayName,
  type GatewayConfiguration,
  type PortConfiguration,
} from '../configuration/configuration.js';
import { checkDelivery } from '../delivery/check-delivery.js';
import { Draft, houseOf } from '../desk/draft.js';
import { NEW_DESK } from '../desk/record.js';
import { openPort } from '../ports/port.js';
import { apiOf } from '../running/start-gateway.js';
import { isClockSynchronised } from '../running/wall-clock.js';

/** How long a port may take until its link is there. */
const LINK_MS = 6_000;

/**
 * Tries what a configuration names: each port, the clock of this machine, and what the api says to
 * the key, the sources, the table and the rule document. Records nothing. Returns what is wrong by
 * JSON pointer. Takes at most 40 seconds.
 */
export async function liveProblems(
  configuration: GatewayConfiguration,
): Promise<readonly LintProblem[]> {
  const ofPorts = configuration.devices.map((_, at) => portProblems(configuration, at));
  const problems = await Promise.all([
    ...ofPorts,
    clockProblems(),
    checkDelivery(apiOf(configuration), linesOf(configuration)),
  ]);
  return problems.flat();
}

async function portProblems(
  { devices }: GatewayConfiguration,
  at: number,
): Promise<readonly LintProblem[]> {
  const { port } = devices[at] as GatewayConfiguration['devices'][number];
  const problem = await linkProblem(port);
  return problem === undefined ? [] : [{ pointer: `/devices/${at}/port`, problem }];
}

/** Returns why a port has no link, or undefined. */
async function linkProblem(port: PortConfiguration): Promise<string | undefined> {
  let answer!: (problem?: string) => void;
  const answered = new Promise<string | undefined>((resolve) => (answer = resolve));
  const timer = setTimeout(() => answer(`no link within ${LINK_MS / 1_000} s`), LINK_MS);
  const listener = { opened: () => answer(), bytes: () => undefined, lost: answer };
  try {
    const opened = await openPort(port, { writes: false }, listener);
    if ('listen' in port) answer(); // its device need not be there at this moment
    const problem = await answered;
    await opened.close();
    return problem;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function clockProblems(): Promise<readonly LintProblem[]> {
  if ((await isClockSynchronised()) !== false) return [];
  return [{ pointer: '', problem: 'the clock of this machine follows no other clock' }];
}

/** Returns events of every source of the gateway, and one that opens a shoe. */
function linesOf({ table, devices, opens }: GatewayConfiguration): readonly string[] {
  const decoder = new Decoder(houseOf(opens.rules), 'refused');
  const draft = new Draft(NEW_DESK, { table, decoder, at: Date.now() });
  const names = [...devices.map(({ name }) => name), gatewayName(table)];
  for (const name of names)
    draft.add('device-online', { missed: null }, { name, session: 'check', sequence: 1 });
  const { rules, decks, currency, reports } = opens;
  const data = { rules, decks, kind: 'physical', currency, reports };
  const [name = ''] = names;
  draft.add('shoe-opened', data, { name, session: 'check', sequence: 2 }, `${table}-check`);
  return draft.made;
}
