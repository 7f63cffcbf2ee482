import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { RuleBook } from '#audit';
import { MemoryLog } from '#event-log';
import { ApiModule } from '../api.module.js';
import { API_DEFAULTS } from '../settings/api-settings.js';
import { describe } from './describe.js';

/**
 * Returns the OpenAPI document without a server. Nest explores the modules and creates no
 * instances.
 */
export async function openApiDocument(): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.of({
      settings: API_DEFAULTS,
      log: new MemoryLog(),
      databaseUrl: '',
      book: new RuleBook(() => ''),
      registry: new Registry(),
    }),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  return describe(app, '');
}
