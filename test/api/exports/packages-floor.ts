import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog, type EventLog, type LogSettings } from '#event-log';
import type { RunningSealer } from '#sealer';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { sealOften } from '../../kit/sealer.js';
import { startServer, type TestServer } from '../../kit/server.js';
import { dayLines, TABLES } from '../reading/reading-floor.js';

const PARTITIONS = 4;
/** An export gives way to everything else, so on a busy machine it takes long. */
export const EXPORT_MS = 240_000;
/** The most megabytes of packages. */
export const MEGABYTES = 100;

/** An export as the api answers it. */
export interface ExportSeen {
  readonly id: string;
  readonly state: string;
  readonly step: string | null;
  readonly askedBy: string;
  readonly package: {
    readonly id: string;
    readonly sha256: string;
    readonly size: number;
    readonly checkpoint: number;
    readonly records: number;
    readonly receipt: string;
    readonly note: string;
    readonly warnings: readonly string[];
  } | null;
  readonly failure: { readonly code: string; readonly detail: string } | null;
}

/** How something is asked for. */
interface Asked {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: 'GET' | 'HEAD';
}

/** A house with a day of play that is sealed, and an api that makes packages. */
export class PackagesFloor {
  private number = 0;
  private sealing: RunningSealer | undefined;

  private constructor(
    readonly folder: string,
    readonly server: TestServer,
    readonly log: EventLog,
    /** The token of a regulator who sees every table. */
    readonly regulator: string,
  ) {}

  /** `addressOf`: by which address exports reach the database. */
  static async open(addressOf = (url: string): string => url): Promise<PackagesFloor> {
    const folder = mkdtempSync(join(tmpdir(), 'packages-'));
    let log: EventLog | undefined;
    const server = await startServer(
      async (url) => (log = await openLog(logOf(url))),
      settingsIn(folder),
      (url) => ({ log: logOf(addressOf(url)), rules: [] }),
    );
    if (!log) throw new Error('the log was not opened');
    const regulator = await server.api.person('regulator', { name: 'inspector' });
    const floor = new PackagesFloor(folder, server, log, regulator);
    await floor.play(...TABLES);
    await floor.startSealer();
    return floor;
  }

  /** Records a day of play at tables, and resolves once the rows have it. */
  async play(...tables: readonly string[]): Promise<void> {
    const { api } = this.server;
    const { statusCode, body } = await api.app.inject({
      method: 'POST',
      url: '/v1/events',
      payload: dayLines(tables, 'packages').join('\n'),
      headers: {
        'content-type': 'application/x-ndjson',
        authorization: `Bearer ${await api.device()}`,
      },
    });
    if (statusCode !== 202) throw new Error(`POST /v1/events answered ${statusCode} ${body}`);
    await this.caughtUp();
  }

  /** The key that signs checkpoints, as a reader is given it. */
  get vkey(): string {
    if (!this.sealing) throw new Error('no sealer runs');
    return this.sealing.vkey;
  }

  /** Starts another api on the same house. The caller closes it. */
  anotherApi(): Promise<TestApi> {
    const { url } = this.server.database;
    return startApi({
      ...{ log: this.log, databaseUrl: url, settings: settingsIn(this.folder) },
      exportFrom: { log: logOf(url), rules: [] },
    });
  }

  async startSealer(): Promise<void> {
    this.sealing = await sealOften(this.log, this.server.database.url, this.folder);
  }

  get isSealing(): boolean {
    return this.sealing !== undefined;
  }

  async stopSealer(): Promise<void> {
    await this.sealing?.close();
    this.sealing = undefined;
  }

  caughtUp(): Promise<void> {
    return this.server.caughtUp();
  }

  /** Asks for a package, under a new key unless one is given. */
  ask(
    body: object,
    { token = this.regulator, key = `key-${(this.number += 1)}` } = {},
  ): Promise<Answer> {
    return this.server.api.app.inject({
      method: 'POST',
      url: '/v1/exports',
      payload: { purpose: 'review', recipient: 'DICJ', ...body },
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    });
  }

  get(
    path: string,
    { token = this.regulator, headers = {}, method = 'GET' }: Asked = {},
  ): Promise<Answer> {
    return this.server.api.app.inject({
      ...{ method, url: `/v1/exports${path}` },
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  }

  async shown(id: string): Promise<ExportSeen> {
    return (await this.get(`/${id}`)).json<ExportSeen>();
  }

  /** Resolves with an export once it is over. */
  ended(id: string): Promise<ExportSeen> {
    return eventually(
      `the end of export ${id}`,
      async () => {
        const seen = await this.shown(id);
        return ['waiting', 'making'].includes(seen.state) ? undefined : seen;
      },
      EXPORT_MS,
    );
  }

  /** Asks for a package and resolves once that is over. */
  async exported(body: object): Promise<ExportSeen> {
    const answer = await this.ask(body);
    if (answer.statusCode !== 202)
      throw new Error(`POST /v1/exports answered ${answer.statusCode} ${answer.body}`);
    return this.ended(answer.json<ExportSeen>().id);
  }

  /** Removes an export, whether it waits or is made, so that nothing waits for it. */
  async remove(id = ''): Promise<void> {
    const { statusCode, body } = await this.server.api.send(
      'DELETE',
      `/v1/exports/${id}`,
      this.regulator,
    );
    if (statusCode !== 204)
      throw new Error(`DELETE of export ${id} answered ${statusCode} ${body}`);
  }

  async close(): Promise<void> {
    await this.stopSealer();
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns the log of a floor, by the address of its database. */
export const logOf = (url: string): LogSettings => {
  return { kind: 'postgres', url, partitions: PARTITIONS };
};

/** Returns the settings of an api that makes packages in a folder. */
const settingsIn = (folder: string) => ({
  exports: {
    folder: join(folder, 'exports'),
    key: { setting: 'SHOEPRINT_EXPORTS_KEY', path: join(folder, 'exports.key') },
    megabytes: MEGABYTES,
    lanes: 'on' as const,
    hours: 24,
  },
});
