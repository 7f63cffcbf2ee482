import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { MemoryLog, type MemoryLogOptions } from '#event-log';
import { createApi, migrateAccess, API_DEFAULTS, type ApiSettings } from '#api';
import type { Identity } from '../../../apps/api/src/identity/identity.js';
import { CreateKey } from '../../../apps/api/src/identity/keys/device-keys.js';
import { newPerson } from '../../kit/api.js';
import { createDatabase } from '../../kit/database.js';
import { BOOK } from '../../kit/house.js';

export const EVENT = 'application/cloudevents+json';
export const BATCH = 'application/cloudevents-batch+json';
export const LINES = 'application/x-ndjson';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly type?: string;
    readonly accepted?: number;
    readonly detail?: string;
    readonly errors?: readonly {
      readonly position?: number;
      readonly pointer: string;
      readonly reason: string;
    }[];
  };
  readonly text: string;
}

export interface Sending {
  readonly type?: string;
  readonly token?: string;
  readonly gzip?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An api over a memory log, with keys and accounts in a real database, for tests of events. */
export class EventsApp {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly log: MemoryLog,
    /** The scope of a key that may write everything that a device may. */
    readonly token: string,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(
    options: MemoryLogOptions = {},
    settings: Partial<ApiSettings> = {},
  ): Promise<EventsApp> {
    const database = await createDatabase();
    await migrateAccess(database.url);
    const log = new MemoryLog(options);
    const app = await createApi({
      settings: { ...API_DEFAULTS, ...settings },
      log,
      databaseUrl: database.url,
      book: BOOK,
      logger: false,
    });
    const token = await keyOf(app, {
      name: 'gateway-1',
      sources: ['device/*', 'virtual/*', 'person/*'],
      tables: ['*'],
      types: ['*'],
    });
    return new EventsApp(app, log, token, database.drop);
  }

  /** Returns the token of a new device key. */
  key(scope: {
    name: string;
    sources: string[];
    tables: string[];
    types: string[];
  }): Promise<string> {
    return keyOf(this.app, scope);
  }

  /** Returns the token of a new person. */
  async person(name: string, roles: ('pit-boss' | 'finance')[], tables: string[]): Promise<string> {
    return newPerson(this.app.get(DataSource), roles, { name, tables });
  }

  async send(
    body: string | Buffer,
    { type = EVENT, token = this.token, gzip = false, headers = {} }: Sending = {},
  ): Promise<Answer> {
    const payload = gzip ? gzipSync(body) : body;
    const response = await this.app.inject({
      method: 'POST',
      url: '/v1/events',
      payload,
      headers: {
        'content-type': type,
        authorization: `Bearer ${token}`,
        ...(gzip && { 'content-encoding': 'gzip' }),
        ...headers,
      },
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body === '' ? {} : response.json<Answer['body']>(),
      text: response.body,
    };
  }

  /** Returns what is on the log: each record's lines, in the order of a partition. */
  records(): {
    readonly key: string;
    readonly partition: number;
    readonly text: string;
    readonly lines: readonly string[];
    readonly bytes: number;
  }[] {
    const { store, partitions } = this.log;
    return Array.from({ length: partitions }, (_, partition) => store.of(partition))
      .flat()
      .map(({ key, partition, value }) => {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
        return { key, partition, text, lines: text.split('\n'), bytes: value.length };
      });
  }

  /** Returns all lines on the log, of one table or of all. */
  lines(table?: string): string[] {
    return this.records()
      .filter(({ key }) => table === undefined || key === table)
      .flatMap(({ lines }) => lines);
  }

  async listen(): Promise<number> {
    await this.app.listen(0, '127.0.0.1');
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.log.close();
    await this.drop();
  }
}

const EVERYWHERE = {
  kind: 'person',
  id: 'person/admin',
  roles: ['admin'],
  tables: 'all',
} as unknown as Identity;

async function keyOf(
  app: NestFastifyApplication,
  scope: { name: string; sources: string[]; tables: string[]; types: string[] },
): Promise<string> {
  return (await app.get(CommandBus).execute(new CreateKey(EVERYWHERE, scope))).token;
}

export interface SentEvent {
  readonly table?: string;
  readonly source?: string;
  readonly id?: string;
  readonly [attribute: string]: unknown;
}

let next = 0;

/** Returns a well-formed event in canonical order, each time with another id. */
export function card({
  table = 'B07',
  source = `device/${table}-shoe`,
  ...more
}: SentEvent = {}): Record<string, unknown> {
  next += 1;
  return {
    specversion: '1.0',
    type: 'shoeprint.card-drawn.v1',
    source,
    id: `7/${next}`,
    time: '2026-11-20T12:00:00.123Z',
    table,
    shoe: `${table}-1`,
    session: '7',
    sequence: next,
    data: { card: '9S', to: 'player' },
    ...more,
  };
}

export const lineOf = (event: Readonly<Record<string, unknown>>): string => JSON.stringify(event);

/** Splits a stamped line into content and stamps. */
export function unstamped(line: string): {
  readonly content: string;
  readonly from: string;
  readonly time: string;
} {
  const match = /^(.*),"receivedfrom":("(?:[^"\\]|\\.)*"),"receivedtime":"([^"]*)"\}$/s.exec(line);
  if (!match) throw new Error(`not stamped: ${line}`);
  return {
    content: `${match[1]}}`,
    from: JSON.parse(match[2] as string) as string,
    time: match[3] as string,
  };
}
