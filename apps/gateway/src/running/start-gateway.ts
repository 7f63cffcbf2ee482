import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { appVersion, asError, type ProbeServer } from '#process';
import { openSpool, type Spool, SpoolFull, type SpoolNotice } from '#spool';
import { partsOf } from '../configuration/addresses.js';
import type { GatewayConfiguration } from '../configuration/configuration.js';
import { Delivery, type DeliveryState } from '../delivery/delivery.js';
import type { ApiConfiguration } from '../delivery/connection.js';
import { serveGatewayHealth } from '../health/health.js';
import type { GatewaySnapshot } from '../health/snapshot.js';
import { openPort } from '../ports/port.js';
import { skipProblem } from '../desk/skip.js';
import { DeskOwner } from './desk-owner.js';
import { RefusedSkips, removeRequest, skipRequests, type SkipRequest } from './skip-requests.js';
import { TableGateway } from './table-gateway.js';
import { isClockSynchronised, WallClock } from './wall-clock.js';

const TICK_MS = 200;
const LOOK_MS = 1_000;
/** How long a gateway that stops tries to deliver that it stopped. */
const LAST_DELIVERY_MS = 2_000;
const MIB = 1_048_576;
const DAY_MS = 86_400_000;

/** A gateway at work. */
export interface RunningGateway {
  snapshot(): GatewaySnapshot;
  /** Rejects if the gateway itself fails. */
  readonly failed: Promise<never>;
  /** Records that listening ends, and closes everything. */
  close(): Promise<void>;
}

/** Returns where the api of a configuration is, with the secrets of its files. */
export const apiOf = ({ api }: GatewayConfiguration): ApiConfiguration => ({
  url: api.url,
  key: readFileSync(api.keyFile, 'utf8').trim(),
  ...(api.ca === undefined ? {} : { ca: readFileSync(api.ca, 'utf8') }),
});

/**
 * Starts the gateway of a table. Resolves once it hears its ports. Rejects with `SpoolHeld` or
 * `PortHeld` if another process has them, and with `Refusal` if it cannot start.
 */
export async function startGateway(
  configuration: GatewayConfiguration,
  say: (text: string) => void,
): Promise<RunningGateway> {
  const gateway = new Gateway(configuration, say);
  try {
    await gateway.start();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}

class Gateway implements RunningGateway {
  readonly failed: Promise<never>;
  private fail!: (error: Error) => void;
  private readonly clock = new WallClock();
  private readonly owner: DeskOwner;
  private readonly early: SpoolNotice[] = [];
  private readonly stop = new AbortController();
  private readonly timers: NodeJS.Timeout[] = [];
  private spool: Spool | undefined;
  private table: TableGateway | undefined;
  private delivery: Delivery | undefined;
  private delivering: Promise<void> = Promise.resolve();
  private health: ProbeServer | undefined;
  private isSynchronised: boolean | null = null;
  private readonly refusedSkips = new RefusedSkips();
  private isLooking = false;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly configuration: GatewayConfiguration,
    private readonly say: (text: string) => void,
  ) {
    this.owner = new DeskOwner(configuration, (notice) => this.notice(notice));
    this.failed = new Promise((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined); // it is awaited by who runs the gateway
  }

  async start(): Promise<void> {
    const { configuration, owner, clock, say } = this;
    const { folder, capMiB, keepDays } = configuration.spool;
    const settings = {
      ...(capMiB === undefined ? {} : { capBytes: capMiB * MIB }),
      ...(keepDays === undefined ? {} : { keepMs: keepDays * DAY_MS }),
    };
    const spool = await openSpool({ folder, owner, status: () => this.snapshot(), settings });
    this.spool = spool;
    this.delivery = new Delivery({
      ...{ spool, api: apiOf(configuration) },
      isSkipped: (position) => owner.isSkipped(position),
      journal: (state) => say(deliveryText(state)),
    });
    const randomDigits = (count: number): string =>
      randomBytes(Math.ceil(count / 2))
        .toString('hex')
        .slice(0, count);
    const fail = (error: Error): void => this.fail(error);
    const version = appVersion();
    this.table = new TableGateway({
      ...{ configuration, spool, owner, clock, randomDigits, version, say, fail },
    });
    await this.listen();
    this.delivering = this.delivery.run(this.stop.signal).catch((error: unknown) => {
      this.fail(asError(error));
    });
    for (const notice of this.early.splice(0)) this.notice(notice);
    this.isSynchronised = await isClockSynchronised();
    if (this.isSynchronised === false)
      this.table.trouble('device-error', 'clock-unsynchronised', 'the clock follows no other yet');
    this.timers.push(
      setInterval(() => this.table?.tick(), TICK_MS),
      setInterval(() => void this.look(), LOOK_MS),
    );
  }

  /** Serves the probes first: an address that is taken refuses the start before a port is heard. */
  private async listen(): Promise<void> {
    const { health, devices } = this.configuration;
    if (health) {
      const { host, port } = partsOf(health.listen);
      this.health = await serveGatewayHealth(() => this.snapshot(), host, port);
    }
    for (const [at, { port }] of devices.entries()) {
      const line = this.table?.lines[at];
      await line?.open((listener) => openPort(port, { writes: line.isAnswered }, listener));
    }
  }

  snapshot(): GatewaySnapshot {
    const { table, delivery, spool, configuration, clock } = this;
    const state: DeliveryState = delivery?.state ?? { is: 'fresh' };
    const figures = spool?.figures ?? { last: 0, sent: 0, segments: 0, bytes: 0, full: undefined };
    return {
      ...{ table: configuration.table, version: appVersion(), delivery: state },
      delivered: delivery?.figures.delivered ?? 0,
      spool: {
        ...{ ...figures, syncSeconds: table?.syncSeconds ?? 0 },
        oldestAt: 'oldestAt' in state ? state.oldestAt : null,
      },
      devices: (table?.lines ?? []).map((line) => line.snapshot()),
      refusedSkips: this.refusedSkips.byName,
      clock: { synchronised: this.isSynchronised, offsetSeconds: clock.offsetSeconds },
    };
  }

  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all((this.table?.lines ?? []).map((line) => line.close()));
    await this.table?.stop();
    for (const until = performance.now() + LAST_DELIVERY_MS; performance.now() < until;) {
      const { last, sent } = this.spool?.figures ?? { last: 0, sent: 0 };
      if (sent >= last || this.delivery?.state.is === 'blocked') break;
      await pause(TICK_MS / 4);
    }
    this.stop.abort();
    await this.delivering;
    await this.health?.close();
    await this.spool?.close();
  }

  private notice(notice: SpoolNotice): void {
    if (this.table === undefined) this.early.push(notice);
    else if (notice.kind === 'damaged') this.table.damaged(notice);
    else if (notice.kind === 'room') this.say('the spool takes frames again');
    else if (notice.kind === 'full') this.say(`the spool is full: ${notice.reason}`);
    else this.say(`the spool: ${notice.kind}: ${notice.error.message}`);
  }

  /** Checks the clock, and looks for requests of an operator. */
  private async look(): Promise<void> {
    this.table?.lookAtClock();
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.lookAtClock();
      await this.lookForSkips();
    } catch (error) {
      this.say(`the folder of the spool: ${asError(error).message}`);
    }
    this.isLooking = false;
  }

  private async lookAtClock(): Promise<void> {
    if (this.isSynchronised !== false) return;
    this.isSynchronised = await isClockSynchronised();
    if (this.isSynchronised === true)
      this.table?.trouble('device-error-cleared', 'clock-unsynchronised', 'it follows another now');
  }

  private async lookForSkips(): Promise<void> {
    for (const request of await skipRequests(this.configuration.spool.folder)) {
      try {
        const problem = await this.skip(request);
        if (problem !== undefined) this.refuseSkip(request, problem);
      } catch (error) {
        if (!(error instanceof SpoolFull)) throw error;
        this.refuseSkip(request, error.message);
        continue; // the next look tries it again
      }
      await removeRequest(request.file);
      this.delivery?.retry();
    }
  }

  /** Sets an event aside. Returns why that cannot be. */
  private async skip({ skip }: SkipRequest): Promise<string | undefined> {
    const { spool, table, owner } = this;
    if (skip === undefined) return 'it is not a request to skip an event';
    if (spool === undefined || owner.isSkipped(skip)) return undefined;
    const made = (await spool.line(skip.n))?.made.length ?? 0;
    const problem = skipProblem(skip, { ...spool.figures, made });
    if (problem === undefined) await table?.skip(skip);
    return problem;
  }

  private refuseSkip({ file }: SkipRequest, problem: string): void {
    this.say(`${file}: ${problem}`);
    this.refusedSkips.refuse(file, problem);
  }
}

const deliveryText = (state: DeliveryState): string =>
  state.is === 'waiting' || state.is === 'blocked'
    ? `delivery: ${state.is}: ${state.why}`
    : `delivery: ${state.is}`;
