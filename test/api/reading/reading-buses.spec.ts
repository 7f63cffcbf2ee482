import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import { ModulesContainer } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { EventLog } from '#event-log';
import { FOLLOWED, ROWS } from '../../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../../kit/api.js';

type Class = abstract new (...parts: never[]) => unknown;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

/** Returns what a class is injected with, by class or by token. */
function given(of: Class): unknown[] {
  const classes = (Reflect.getMetadata('design:paramtypes', of) ?? []) as unknown[];
  const tokens = (Reflect.getMetadata('self:paramtypes', of) ?? []) as {
    readonly index: number;
    readonly param: unknown;
  }[];
  return classes.map((each, i) => tokens.find(({ index }) => index === i)?.param ?? each);
}
const nameOf = (part: unknown): string => (typeof part === 'function' ? part.name : String(part));

const ours = (kind: 'controllers' | 'providers'): Class[] =>
  [
    ...new Set(
      [...api.app.get(ModulesContainer).values()].flatMap((module) =>
        [...module[kind].values()].map(({ metatype }) => metatype as Class | null),
      ),
    ),
  ].filter((each): each is Class => typeof each === 'function' && sources.has(each.name));

const files = readdirSync('apps/api/src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join('apps/api/src', name), 'utf8'));
/** Returns the classes that apps/api declares. */
const sources = new Set(
  files.flatMap((text) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(
      ([, name]) => name as string,
    ),
  ),
);

/**
 * These neither write nor read what is stored: counters, the identity of a token, the time of the
 * last request with events, and the changes that all streams share, which a query reads.
 */
const BESIDE_THE_BUSES = [
  ...['Metrics', 'Identities', 'FollowedSessions', 'ChangeFeed', 'LivePlay'],
  // settings and installed documents
  ...['ApiSettings', 'InstalledRules', 'Deadlines'],
];

describe('every request over HTTP', () => {
  it('goes through the CommandBus or the QueryBus: no controller has another way to stored data', () => {
    const controllers = ours('controllers');
    expect(controllers.length).toBeGreaterThan(6);
    for (const controller of controllers) {
      const others = given(controller)
        .filter((part) => part !== CommandBus && part !== QueryBus)
        .map(nameOf);
      expect([controller.name, others.filter((name) => !BESIDE_THE_BUSES.includes(name))]).toEqual([
        controller.name,
        [],
      ]);
    }
  });

  it('reaches database and log only in handlers, and in what handlers and the gate are made of', () => {
    const kept: readonly unknown[] = [
      DataSource,
      EventLog,
      getDataSourceToken(ROWS),
      getDataSourceToken(FOLLOWED),
    ];
    const reaching = ours('providers').filter((provider) =>
      given(provider).some((part) => kept.includes(part)),
    );
    const isHandler = (provider: Class): boolean =>
      Reflect.hasMetadata('__commandHandler__', provider) ||
      Reflect.hasMetadata('__queryHandler__', provider);
    expect(reaching.filter(isHandler).length).toBeGreaterThan(8);
    expect(
      reaching
        .filter((provider) => !isHandler(provider))
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'Attempts',
      'DatabaseWatch',
      'ExportJobs',
      'FollowedSessions',
      'HandOuts',
      'HouseOutbox',
      'HouseRecord',
      'Identities',
      'KeyCopy',
      'KeyTables',
      'KnownAddresses',
      'LogAppends',
      'LooksAtFindings',
      'PositionsLook',
      'RowsReader',
      'StoppedRecords',
    ]);
  });

  it('leaves no work to an EventBus, which would lose it when the process ends', () => {
    expect(
      files.filter((text) =>
        /\b(EventBus|EventPublisher|EventsHandler|AggregateRoot|Saga)\b.*@nestjs\/cqrs|@(EventsHandler|Saga)\(/.test(
          text,
        ),
      ),
    ).toEqual([]);
  });
});
