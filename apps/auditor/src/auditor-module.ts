import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { startAuditor, type RunningAuditor, type StartAuditor } from './start-auditor.js';

/** The running auditor, for injection. */
export const AUDITOR = Symbol('auditor');

/** Starts an auditor with the application, and ends it with it: partitions are given to the others on the way out. */
@Module({})
export class AuditorModule implements OnApplicationShutdown {
  constructor(@Inject(AUDITOR) private readonly auditor: RunningAuditor) {}

  static of(parts: StartAuditor): DynamicModule {
    return {
      module: AuditorModule,
      providers: [{ provide: AUDITOR, useFactory: () => startAuditor(parts) }],
      exports: [AUDITOR],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.auditor.close();
  }
}
