import { REMARK_MAX, type EventData, type EvidenceAlarm } from '#audit';
import { excerpt } from '#process';
import type { Journal } from '#server';
import { houseLine, SEALER } from './house-events.js';
import type { HouseOutbox } from './house-outbox.js';
import type { SealerMetrics } from './sealer-metrics.js';

/** The same alarm is raised again only after this long. */
const REPEAT_MS = 3_600_000;
/** Most alarms that are remembered. */
const ALARMS_MAX = 1_000;

/** What an alarm says in addition to its kind. */
export type AlarmData = Omit<EventData['evidence-alarm'], 'alarm'>;

/** An alarm, and the line of it for the record of the house, which has a new id. */
export interface Alarm {
  readonly data: EventData['evidence-alarm'];
  readonly line: string;
}

/** Returns an alarm. */
export function alarmOf(alarm: EvidenceAlarm, said: AlarmData): Alarm {
  const data = { alarm, ...said, detail: excerpt(said.detail, REMARK_MAX) };
  return { data, line: houseLine({ type: 'evidence-alarm', by: SEALER, data }) };
}

/** Raises alarms: a log line, a metric, and an event in the record of the house. */
export class Alarms {
  private readonly raisedAt = new Map<string, number>();

  constructor(
    private readonly outbox: HouseOutbox,
    private readonly journal: Journal,
    private readonly metrics: SealerMetrics,
  ) {}

  /**
   * Raises an alarm, unless the same one was raised within the hour: one with the same data, or
   * with the same `cause` if its data holds what changes from time to time.
   */
  raise(kind: EvidenceAlarm, said: AlarmData, cause?: string): void {
    const alarm = alarmOf(kind, said);
    const same = JSON.stringify([kind, cause ?? alarm.data]);
    const now = performance.now();
    if (now - (this.raisedAt.get(same) ?? -REPEAT_MS) < REPEAT_MS) return;
    if (this.raisedAt.size >= ALARMS_MAX) this.raisedAt.clear();
    this.raisedAt.set(same, now);
    this.announce(alarm);
    this.outbox.add(alarm.line);
  }

  /** Raises an alarm whose line is in the outbox, written in one transaction with its cause. */
  kept(alarm: Alarm): void {
    this.announce(alarm);
    this.outbox.soon();
  }

  private announce({ data }: Alarm): void {
    this.metrics.alarmed(data.alarm);
    this.journal.error('evidence alarm', { ...data });
  }
}
