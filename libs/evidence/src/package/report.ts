/** What a fault makes of a package. */
export type FaultKind = 'unreadable' | 'altered' | 'incomplete';

/** Where a fault is, as finely as it is known. */
export interface Position {
  /** The path within the package. */
  readonly file?: string | undefined;
  readonly table?: string | undefined;
  /** The index of a record in the table's tree. */
  readonly record?: number | undefined;
  readonly partition?: number | undefined;
  readonly offset?: number | undefined;
  /** The line of the file, from 1. */
  readonly line?: number | undefined;
  /** The number of a seal. */
  readonly seal?: number | undefined;
}

/** One thing that is wrong with a package. */
export interface PackageFault extends Position {
  /** The step that found it: 1 read, 2 files, 3 signatures, 4 history, 5 seals, 6 records, 7 complete, 8 replay. */
  readonly step: number;
  readonly kind: FaultKind;
  readonly message: string;
}

/** The first word of a report, and the exit code of the command. */
export const VERDICTS = { INTACT: 0, ALTERED: 1, INCOMPLETE: 2, UNREADABLE: 3 } as const;
/** The first word of a report. */
export type Verdict = keyof typeof VERDICTS;

/** Most faults that a report lists. More of them are counted. */
const FAULTS_MAX = 100;
const WARNINGS_MAX = 1_000;

/** Collects what the steps find. */
export class Findings {
  private readonly kept: PackageFault[] = [];
  private readonly said = new Set<string>();
  private all = 0;
  private worst: FaultKind | undefined;

  /** Adds a fault. */
  add(step: number, kind: FaultKind, message: string, at: Position = {}): void {
    this.worst = worse(this.worst, kind);
    this.all += 1;
    if (this.kept.length < FAULTS_MAX) this.kept.push({ step, kind, ...at, message });
  }

  /** Adds a warning, once. */
  addWarning(message: string): void {
    if (this.said.size < WARNINGS_MAX) this.said.add(message);
  }

  /** Returns the word for the worst fault. */
  get verdict(): Verdict {
    switch (this.worst) {
      case undefined:
        return 'INTACT';
      case 'altered':
        return 'ALTERED';
      case 'incomplete':
        return 'INCOMPLETE';
      case 'unreadable':
        return 'UNREADABLE';
    }
  }

  /**
   * Returns the faults: those that decide the verdict first, of these the one with the finest
   * position, and then in the order of the steps.
   */
  get faults(): PackageFault[] {
    const { worst } = this;
    const inOrder = [...this.kept].sort((a, b) => a.step - b.step);
    const deciding = inOrder.filter(({ kind }) => kind === worst);
    const finest = Math.max(...deciding.map(fineness));
    const first = deciding.find((fault) => fineness(fault) === finest);
    const rest = inOrder.filter((fault) => fault !== first);
    return first ? [first, ...rest] : rest;
  }

  /** Returns how many faults were found, those that are not listed included. */
  get faultCount(): number {
    return this.all;
  }

  /** Returns the warnings in the order in which they came. */
  get warnings(): string[] {
    return [...this.said];
  }
}

const ORDER: readonly FaultKind[] = ['incomplete', 'altered', 'unreadable'];

const worse = (a: FaultKind | undefined, b: FaultKind): FaultKind =>
  a !== undefined && ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b;

/** Returns how finely the position of a fault is known: a file, a table, a seal, a record, a line. */
function fineness({ file, table, seal, record, line }: PackageFault): number {
  if (record !== undefined) return line === undefined ? 4 : 5;
  if (seal !== undefined) return 3;
  if (line !== undefined) return 3;
  if (table !== undefined) return 2;
  return file === undefined ? 0 : 1;
}
