import type { JudgedLines, Judgement, Judging, Replay, TableJudging } from '#evidence';

/** What the plain judges' documents must be. */
export const PLAIN_RULES = new Map([['plain@1', Buffer.from('{"every":4}\n')]]);

/**
 * Judges for the packages of small sites: every fourth coup is a finding, and every line must be
 * JSON without spaces. They stand where the judges of the game are handed in.
 */
export const plainJudges: Replay = {
  fold: 1,
  published: {},
  open: () => judgePlainly(),
};

/** Begins to judge plainly. */
export const judgePlainly = (): PlainJudging => new PlainJudging();

class PlainJudging implements Judging {
  private findings: string[] = [];

  begin({ table }: { readonly table: string }): TableJudging {
    return {
      context: () => undefined,
      record: (n, value) => {
        const lines = Buffer.from(value).toString().split('\n');
        const faults: { line: number; why: string }[] = [];
        lines.forEach((line, index) => {
          const coup = Number(/"coup":(\d+)/.exec(line)?.[1]);
          if (coup % 4 === 0) this.findings.push(JSON.stringify({ table, n, coup }));
          if (line.includes(': ')) faults.push({ line: index, why: 'the line is not canonical' });
        });
        return faults;
      },
      later: () => undefined,
      end: () => undefined,
    };
  }

  take(): JudgedLines {
    const findings = this.findings;
    this.findings = [];
    return { 'findings.ndjson': findings };
  }

  end(): Judgement {
    const shoes = [{ table: 'B07', shoe: 'S', isClosed: true, hasLeftReach: true }];
    const openings = new Map();
    const counts = { findings: 0, sessions: 1, sessionsWithHole: 0 };
    return { ...counts, shoes, openings, parked: [], warnings: [] };
  }
}
