import { Injectable } from '@nestjs/common';
import { tooManyCommands } from './session-pace.js';

/** The most commands of one person that wait for each other. */
const WAITING_MAX = 32;

interface Line {
  waiting: number;
  last: Promise<unknown>;
}

/** Lets the commands of one person, in whatever account, go to the log one after another. */
@Injectable()
export class PersonTurns {
  private readonly lines = new Map<string, Line>();

  /**
   * Runs `work` after all that the person began before it. Throws `too-many-requests` if 32 wait.
   */
  async run<Result>(person: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.lines.get(person) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting >= WAITING_MAX) throw tooManyCommands();
    this.lines.set(person, line);
    line.waiting += 1;
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) this.lines.delete(person);
    }
  }
}
