import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../operation/metrics.js';
import { Problem } from '../problems/problems.js';

/** Counts commands on findings by what became of them. */
@Injectable()
export class ReviewMetrics {
  private readonly commands: Counter;

  constructor({ registry }: Metrics) {
    this.commands = new Counter({
      name: 'shoeprint_review_commands_total',
      help: 'Commands on findings, by what became of them: "taken", "pending", or the problem type.',
      labelNames: ['command', 'outcome'],
      registers: [registry],
    });
  }

  /** Counts one command. */
  add(command: string, outcome: string): void {
    this.commands.inc({ command, outcome });
  }

  /** Runs a command and counts it by what it returns or throws. */
  async counted<Result>(
    command: string,
    outcomeOf: (result: Result) => string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await work();
      this.add(command, outcomeOf(result));
      return result;
    } catch (error) {
      this.add(command, error instanceof Problem ? error.problem : 'internal-fault');
      throw error;
    }
  }
}
