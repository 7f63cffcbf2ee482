import { setTimeout as pause } from 'node:timers/promises';
import { REMARK_MAX, type EventData, type EvidenceAlarm } from '#audit';
import type { Appending, EventLog } from '#event-log';
import { excerpt } from '#process';
import { errorText, type Journal } from '#server';
import { houseAppending, SEALER, type SealerEvent } from './house-events.js';
import type { SealerMetrics } from './sealer-metrics.js';

/** The same alarm is raised again only after this long. */
const REPEAT_MS = 3_600_000;
/** Most alarms that are remembered, and most that wait for the log. */
const ALARMS_MAX = 1_000;
const RETRY_MS = 1_000;

/** What an alarm says in addition to its kind. */
export type AlarmData = Omit<EventData['evidence-alarm'], 'alarm'>;

/**
 * Raises alarms: a log line, a metric, and an event in the record of the house. The event is sent
 * again until the log takes it, under the same id, so it counts once.
 */
export class Alarms {
  private readonly raisedAt = new Map<string, number>();
  private readonly waiting: Appending[] = [];
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
    this.metrics.alarmed(alarm);
    this.journal.error('evidence alarm', { alarm, ...said });
    this.record({ type: 'evidence-alarm', by: SEALER, data: { alarm, ...said } });
  }

  /** Sends an event of the sealer to the record of the house. Returns at once. */
  record(event: SealerEvent): void {
    if (this.waiting.length >= ALARMS_MAX) return;
    this.waiting.push(houseAppending(this.log, event));
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  /** Stops sending. Alarms that the log has not taken stay in the program's log alone. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.sending;
  }

  private async send(): Promise<void> {
    const { signal } = this.closing;
    for (let next = this.waiting[0]; next && !signal.aborted;) {
      try {
        await this.log.append(next);
        this.waiting.shift();
        next = this.waiting[0];
      } catch (error) {
        this.journal.error('retrying append of an alarm', { error: errorText(error) });
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined); // closing
      }
    }
  }
}
