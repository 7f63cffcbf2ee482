import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { settingNames } from './setting-names.js';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const TEXT = readFileSync('docker-compose.yml', 'utf8');
const COMPOSE = parse(TEXT, { merge: true }) as Compose;
const services = Object.entries(COMPOSE.services);
const ours = services.filter(([, { build }]) => build !== undefined);
/** Returns what a service runs: its own command, or that of the image. */
const programOf = ({ command }: Service): string => command?.[0] ?? 'api';

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose Specification', () => {
    const { $schema: _, ...schema } = JSON.parse(
      readFileSync('node_modules/docker-compose/schema/compose-spec.json', 'utf8'),
    ) as Record<string, unknown>;
    const judge = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
      schema,
    );
    judge(COMPOSE);
    expect(judge.errors ?? []).toEqual([]);
  });

  it('runs Kafka, PostgreSQL, the api, the auditor and the sealer, and creates the topic', () => {
    expect(services.map(([name]) => name).sort()).toEqual([
      'api',
      'auditor',
      'kafka',
      'postgres',
      'sealer',
      'topic',
    ]);
  });

  it('checks the health of every service that keeps running', () => {
    const ends = services
      .flatMap(([, { depends_on }]) => Object.entries(depends_on ?? {}))
      .filter(([, { condition }]) => condition === 'service_completed_successfully')
      .map(([name]) => name);
    const unwatched = services
      .filter(([name, { healthcheck }]) => !healthcheck && !ends.includes(name))
      .map(([name]) => name);
    expect({ ends: [...new Set(ends)], unwatched }).toEqual({ ends: ['topic'], unwatched: [] });
  });

  it('starts no service before its dependencies are healthy', () => {
    for (const [name, { depends_on }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on ?? {})) {
        const known = COMPOSE.services[needed];
        expect({ name, needed, there: known !== undefined }).toEqual({ name, needed, there: true });
        if (condition === 'service_healthy')
          expect({ needed, healthcheck: known?.healthcheck !== undefined }).toEqual({
            needed,
            healthcheck: true,
          });
      }
    }
    for (const [, { depends_on }] of ours)
      expect(Object.keys(depends_on ?? {}).sort()).toEqual(['postgres', 'topic']);
  });

  it('keeps durable data in named volumes, all declared and all used', () => {
    const used = services
      .flatMap(([, { volumes }]) => volumes ?? [])
      .map((volume) => volume.split(':')[0]);
    expect([...new Set(used)].sort()).toEqual(Object.keys(COMPOSE.volumes).sort());
    // the sealer makes the key that the api signs packages with
    expect(used.sort()).toEqual(['exports', 'exports', 'kafka', 'postgres', 'seals']);
  });

  it('listens on this machine only', () => {
    for (const port of services.flatMap(([, { ports }]) => ports ?? []))
      expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('sets only variables that the settings read', () => {
    const known = settingNames();
    const unknown = ours
      .flatMap(([, { environment }]) => Object.keys(environment ?? {}))
      .filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });

  it('runs only programs that exist', () => {
    for (const [, service] of ours) {
      const source = `apps/${programOf(service)}/src/main.ts`;
      expect({ source, there: existsSync(source) }).toEqual({ source, there: true });
    }
  });

  it('creates the topic of the settings with the same number of partitions, kept forever', () => {
    const { environment } = COMPOSE.services.api as Service;
    const made = COMPOSE.services.topic?.command ?? [];
    expect(made).toEqual(
      expect.arrayContaining([
        `--topic=${environment?.KAFKA_TOPIC}`,
        `--partitions=${environment?.SHOEPRINT_PARTITIONS}`,
        '--config=cleanup.policy=delete',
        '--config=retention.ms=-1',
        '--config=retention.bytes=-1',
      ]),
    );
  });

  it('warns that it does not survive a power loss', () => {
    expect(TEXT).toMatch(/not power-safe/);
  });
});
