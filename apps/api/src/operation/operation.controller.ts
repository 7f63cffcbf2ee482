import { Controller, Get, Header, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Open, RequiresUnlessOpen } from '../identity/requires.js';
import { Metrics } from './metrics.js';
import { LivenessAnswer, ReadinessAnswer } from './operation.answers.js';
import { ReadinessStatus } from './readiness.interceptor.js';
import { AskReadiness, type Readiness } from './readiness.js';

/** Routes that monitor the server: liveness, readiness and metrics. */
@ApiTags('operation')
@Controller()
export class OperationController {
  constructor(
    private readonly queries: QueryBus,
    private readonly metrics: Metrics,
  ) {}

  @Get('livez')
  @Open()
  @ApiOperation({ summary: 'Check that the process is alive; restart it if this does not answer' })
  @ApiOkResponse({ type: LivenessAnswer, description: 'Alive' })
  getLiveness(): { live: true } {
    return { live: true };
  }

  @Get('readyz')
  @Open()
  @UseInterceptors(ReadinessStatus)
  @ApiOperation({
    summary: 'Check whether the server can take requests: log, database and schemas; ignores lag',
  })
  @ApiOkResponse({ type: ReadinessAnswer, description: 'Ready' })
  @ApiServiceUnavailableResponse({
    type: ReadinessAnswer,
    description: 'Not ready; the notes say why',
  })
  getReadiness(): Promise<Readiness> {
    return this.queries.execute(new AskReadiness());
  }

  @Get('metrics')
  @RequiresUnlessOpen('read-metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({
    summary: 'Metrics, in Prometheus text format',
    description:
      'Open on the loopback interface. Elsewhere it needs, by default, the token of `SHOEPRINT_METRICS_TOKEN` or the permission `read-metrics`.',
  })
  @ApiOkResponse({
    description: 'The metrics of this process',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  getMetrics(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
