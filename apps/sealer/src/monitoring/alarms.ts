import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  canonicalLine,
  fullName,
  HOUSE_TABLE,
  REMARK_MAX,
  stamped,
  type EventData,
  type EvidenceAlarm,
} from '#audit';
import { partitionOf, type EventLog } from '#event-log';
import { excerpt } from '#process';
import { errorText, type Journal } from '#server';
import type { SealerMetrics } from './sealer-metrics.js';

/** The source of what the sealer writes. */
const SEALER = 'system/sealer';
/** The same alarm is raised again only after this long. */
const REPEAT_MS = 3_600_000;
/** Most alarms that are remembered, and most that wait for the log. */
const ALARMS_MAX = 1_000;
const RETRY_MS = 1_000;

/** What an alarm says beside its kind. */
export type AlarmData = Omit<EventData['evidence-alarm'], 'alarm'>;

/**
 * Raises alarms: a log line, a metric, and an event in the record of the house. The event is sent
 * again until the log takes it, under the same id, so it counts once.
 */
export class Alarms {
  private readonly raisedAt = new Map<string, number>();
  private readonly waiting: string[] = [];
  private readonly closing = new AbortController();
  private sending: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly journal: Journal,
    private readonly metrics: SealerMetrics,
  ) {}

  /** Raises an alarm, unless the same one was raised within the hour. */
  raise(alarm: EvidenceAlarm, data: AlarmData): void {
    const said = { ...data, detail: excerpt(data.detail, REMARK_MAX) };
    const same = JSON.stringify([alarm, said]);
    const now = performance.now();
    if (now - (this.raisedAt.get(same) ?? -REPEAT_MS) < REPEAT_MS) return;
    if (this.raisedAt.size >= ALARMS_MAX) this.raisedAt.clear();
    this.raisedAt.set(same, now);
    this.metrics.alarms.inc({ alarm });
    this.journal.error('evidence alarm', { alarm, ...said });
    if (this.waiting.length >= ALARMS_MAX) return;
    this.waiting.push(lineOf({ alarm, ...said }));
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  /** Stops sending. Alarms that the log has not taken stay in the program's log alone. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.sending;
  }

  private async send(): Promise<void> {
    const { signal } = this.closing;
    const partition = partitionOf(HOUSE_TABLE, this.log.partitions);
    for (let line = this.waiting[0]; line !== undefined && !signal.aborted;) {
      try {
        const records = [{ key: HOUSE_TABLE, value: Buffer.from(line) }];
        await this.log.append({ partition, urgency: 'live', records });
        this.waiting.shift();
        line = this.waiting[0];
      } catch (error) {
        this.journal.error('retrying append of an alarm', { error: errorText(error) });
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined); // closing
      }
    }
  }
}

function lineOf(data: EventData['evidence-alarm']): string {
  const time = new Date().toISOString();
  const event = {
    specversion: '1.0',
    type: fullName('evidence-alarm'),
    source: SEALER,
    id: `evidence-alarm/${randomUUID()}`,
    time,
    table: HOUSE_TABLE,
    data,
  };
  return stamped(canonicalLine(JSON.stringify(event)), SEALER, time);
}
