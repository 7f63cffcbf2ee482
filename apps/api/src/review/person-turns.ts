import { Injectable } from '@nestjs/common';
import { within } from '#process';
import { Problem } from '../problems/problems.js';
import { tooManyCommands } from './session-pace.js';

/** The most commands of one person that wait for each other. */
const WAITING_MAX = 32;
/** How long a command waits for those before it. */
const TURN_MS_MAX = 3_000;

interface Line {
  waiting: number;
  last: Promise<unknown>;
}

/** Lets the commands of one person, in whatever account, go to the log one after another. */
@Injectable()
export class PersonTurns {
  private readonly lines = new Map<string, Line>();

  /**
   * Runs `work` after all that the person began before it. Throws `too-many-requests` if 32 wait,
   * and `not-recorded` without running it if those before it take longer than 3 seconds.
   */
  async run<Result>(person: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.lines.get(person) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting >= WAITING_MAX) throw tooManyCommands();
    this.lines.set(person, line);
    line.waiting += 1;
    const before = line.last;
    const turn = within(TURN_MS_MAX, before, tooLate).then(work);
    // those behind it wait for those before it, too
    line.last = Promise.allSettled([before, turn]);
    try {
      return await turn;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) this.lines.delete(person);
    }
  }
}

const tooLate = (): Problem =>
  new Problem('not-recorded', 'commands of this person before it are still under way', {
    headers: { 'Retry-After': '1' },
  });
