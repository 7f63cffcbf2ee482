import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import {
  API_DEFAULTS,
  type ApiSettings,
  createApi,
  type CreateApi,
  migrateAccess,
  type Role,
} from '#api';
import type { RuleBook } from '#audit';
import { type EventLog, MemoryLog } from '#event-log';
import { migrate } from '#read-model';
import { describe } from '../../apps/api/src/docs/describe.js';
import {
  Account,
  DeviceKey,
  Session,
} from '../../apps/api/src/identity/database/access.entities.js';
import { newToken } from '../../apps/api/src/identity/credentials/bearer-token.js';
import { UNUSED_HASH } from '../../apps/api/src/identity/credentials/passwords.js';
import { createDatabase } from './database.js';
import { Conformance, watchAnswers } from './conformance.js';
import { BOOK } from './house.js';

export type Answer = Awaited<ReturnType<NestFastifyApplication['inject']>>;

/** What a new person has in addition to roles. */
export interface PersonOptions extends Partial<
  Pick<Account, 'person' | 'wallDisplay' | 'passwordHash' | 'mustChangePassword' | 'disabled'>
> {
  readonly tables?: readonly string[];
  readonly name?: string;
}

/** An api in this process over a database and a log, with ways to authenticate. */
export interface TestApi {
  readonly app: NestFastifyApplication;
  readonly log: EventLog;
  readonly databaseUrl: string;
  /** Returns its loopback address. The first call makes it listen. */
  readonly url: () => Promise<string>;
  /** Sends a request with a token (none, if undefined) and a JSON body. */
  readonly send: (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    token?: string,
    body?: object,
  ) => Promise<Answer>;
  /** Returns the token of a new person with these roles, who sees these tables (default: all). */
  readonly person: (roles: Role | readonly Role[], options?: PersonOptions) => Promise<string>;
  /** Returns the token of a new device key (default: it may write everything). */
  readonly device: (scope?: {
    readonly name?: string;
    readonly sources?: readonly string[];
    readonly tables?: readonly string[];
    readonly types?: readonly string[];
  }) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface StartApi {
  /** Default: a memory log. The caller closes a log that it passes. */
  readonly log?: EventLog;
  /** Default: a new database. The caller drops a database that it passes. */
  readonly databaseUrl?: string;
  readonly settings?: Partial<ApiSettings>;
  /** Default: the published documents. */
  readonly book?: RuleBook;
  readonly logger?: CreateApi['logger'];
  /** Default: none, and then no packages are made. */
  readonly exportFrom?: CreateApi['exportFrom'];
}

/** By base path. All apis of a test file describe the same routes, which takes half a second. */
const conformances = new Map<string, Conformance>();

function conformanceOf(app: NestFastifyApplication, basePath: string): Conformance {
  const known = conformances.get(basePath);
  if (known) return known;
  const conformance = new Conformance(describe(app, basePath));
  conformances.set(basePath, conformance);
  return conformance;
}

/** Starts an api whose schemas exist. It is silent without a logger. */
export async function startApi({
  log,
  databaseUrl,
  settings,
  book = BOOK,
  logger = false,
  exportFrom,
}: StartApi = {}): Promise<TestApi> {
  const database = databaseUrl === undefined ? await createDatabase() : undefined;
  const url = databaseUrl ?? database?.url ?? '';
  await migrateAccess(url);
  await migrate(url);
  const eventLog = log ?? new MemoryLog();
  const app = await createApi({
    settings: { ...API_DEFAULTS, ...settings },
    log: eventLog,
    databaseUrl: url,
    book,
    logger,
    ...(exportFrom && { exportFrom }),
  });
  const { basePath } = { ...API_DEFAULTS, ...settings };
  const faults = watchAnswers(app, () => conformanceOf(app, basePath));
  const source = app.get(DataSource);
  let listening: Promise<string> | undefined;
  return {
    app,
    log: eventLog,
    databaseUrl: url,
    url: () => (listening ??= app.listen(0, '127.0.0.1').then(() => app.getUrl())),
    send: (method, path, token, body) =>
      app.inject({
        method,
        url: path,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(body && { payload: body }),
      }),
    person: (roles, options) =>
      newPerson(source, typeof roles === 'string' ? [roles] : [...roles], options),
    device: (scope) => newDevice(source, scope),
    close: async () => {
      await app.close();
      if (!log) await eventLog.close();
      await database?.drop();
      if (faults().length > 0)
        throw new Error(
          `answers that the document does not describe:\n${[...new Set(faults())].slice(0, 20).join('\n')}`,
        );
    },
  };
}

let made = 0;

/**
 * Inserts a person with a session into the tables. Hashing a password for each would take longer
 * than most tests.
 */
export async function newPerson(
  source: DataSource,
  roles: Role[],
  { tables = ['*'], name = `${roles.join('.')}-${(made += 1)}`, ...more }: PersonOptions = {},
): Promise<string> {
  const { id, text, hash } = newToken('sps');
  await source.getRepository(Account).insert({
    name,
    person: name,
    passwordHash: UNUSED_HASH,
    roles,
    tables: [...tables],
    createdBy: 'system/test',
    ...more,
  });
  await source.getRepository(Session).insert({
    id,
    accountName: name,
    tokenHash: hash,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return text;
}

async function newDevice(
  source: DataSource,
  {
    name = `key-${(made += 1)}`,
    sources = ['*'],
    tables = ['*'],
    types = ['*'],
  }: Parameters<TestApi['device']>[0] = {},
): Promise<string> {
  const { id, text, hash } = newToken('spk');
  await source.getRepository(DeviceKey).insert({
    id,
    name,
    tokenHash: hash,
    sources: [...sources],
    tables: [...tables],
    types: [...types],
    createdBy: 'system/test',
  });
  return text;
}
