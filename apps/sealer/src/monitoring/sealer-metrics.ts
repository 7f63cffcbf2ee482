import { EVIDENCE_ALARMS, type EvidenceAlarm } from '#audit';
import { Counter, Gauge, Registry } from 'prom-client';

/** What may fail and is tried again. */
const STEPS = ['sign', 'publish', 'session', 'read-again', 'witness'] as const;

/** The metrics of a sealer, as docs/operating/metrics.md describes them. */
export class SealerMetrics {
  readonly registry = new Registry();
  readonly active = this.gauge(
    'shoeprint_seal_active',
    '1 while this process is the one that seals, 0 while it stands by',
  );
  readonly records = this.counter('shoeprint_seal_records_total', 'Records hashed and committed');
  readonly seals = this.counter('shoeprint_seals_total', 'Seals made, by reason', ['reason']);
  readonly size = this.gauge('shoeprint_seal_site_size', 'Size of the last signed checkpoint');
  readonly unsealed = this.gauge(
    'shoeprint_seal_unsealed_records',
    'Records that were hashed and that no seal holds yet',
  );
  readonly unsigned = this.gauge(
    'shoeprint_seal_unsigned_entries',
    'Leaves of the site log that no signed checkpoint covers',
  );
  readonly stopped = this.gauge(
    'shoeprint_seal_stopped_partitions',
    'Partitions that are sealed no further until they are resumed',
  );
  private readonly failures = this.counter(
    'shoeprint_seal_failures_total',
    'What failed and is tried again, by step',
    ['step'],
  );
  private readonly alarms = this.counter('shoeprint_seal_alarms_total', 'Alarms raised, by kind', [
    'alarm',
  ]);
  readonly mismatches = this.gauge(
    'shoeprint_seal_mismatches',
    'Records of the log that are not those that were sealed',
  );
  /** Until the last seal is known, the start of the process. */
  private sealedAtMs = Date.now();
  private readAgainAtMs: number | undefined;
  private witnessedAtMs: number | undefined;

  constructor() {
    // A counter that first appears at 1 has not increased, so an alert would miss it.
    for (const alarm of EVIDENCE_ALARMS) this.alarms.inc({ alarm }, 0);
    for (const step of STEPS) this.failures.inc({ step }, 0);
    this.age(
      'shoeprint_seal_age_seconds',
      'Age of the last seal of the site; before the first, of the process',
      () => this.sealedAtMs,
    );
    this.age(
      'shoeprint_seal_read_again_age_seconds',
      'How long ago the last partition was read again as a whole; 0 before the first time',
      () => this.readAgainAtMs,
    );
    this.age(
      'shoeprint_seal_unwitnessed_seconds',
      'How long ago enough witnesses cosigned a checkpoint; 0 without witnesses',
      () => this.witnessedAtMs,
    );
  }

  /** Forgets what only the active sealer knows now. */
  standBy(): void {
    for (const gauge of [this.unsealed, this.unsigned, this.stopped]) gauge.set(0);
  }

  /** Counts an alarm. */
  alarmed(alarm: EvidenceAlarm): void {
    this.alarms.inc({ alarm });
  }

  /** Counts a failure that is tried again. */
  failed(step: (typeof STEPS)[number]): void {
    this.failures.inc({ step });
  }

  /** Remembers when the last seal was made, in milliseconds since 1970. */
  sealedAt(ms: number): void {
    this.sealedAtMs = ms;
  }

  /** Remembers when the whole log had been read again, in milliseconds since 1970. */
  readAgainAt(ms: number): void {
    this.readAgainAtMs = ms;
  }

  /** Remembers when enough witnesses cosigned, in milliseconds since 1970. */
  witnessedAt(ms: number): void {
    this.witnessedAtMs = ms;
  }

  private age(name: string, help: string, since: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const ms = since();
        this.set(ms === undefined ? 0 : Math.max(0, Date.now() - ms) / 1000);
      },
    });
  }

  private counter<L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
  ): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
