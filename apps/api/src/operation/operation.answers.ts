import {
  OneOf,
  Part,
  Parts,
  Sha256Field,
  Text,
  Texts,
  Time,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import type { ParkedTable } from '#read-model';
import type { PartitionPosition } from './parked.js';
import type { KeyCopyState } from '../identity/keys/key-copy.js';
import type { StoppedRecord } from './stopped-record.js';
import type { Need } from './database-watch.js';
import type { Readiness } from './readiness.js';

/** The answer of a process that runs. `live` is always true. */
export class LivenessAnswer {
  @YesNo() live!: true;
}

/** Whether the log or the database can be used, and notes about what is wrong. */
export class NeedAnswer implements Required<Need> {
  @YesNo() ok!: boolean;
  @Texts() notes!: readonly string[];
}
/** Whether the log can be used, whether it is power-safe, and how much waits to be appended. */
export class LogNeedAnswer extends NeedAnswer implements Required<Readiness['log']> {
  @YesNo({ description: 'An acknowledged event survives a power failure of any one machine' })
  powerSafe!: boolean;
  @Whole({ required: false, description: 'Bytes that wait to be appended' }) queuedBytes!: number;
}
/** How old the copy of the device keys is that is used while the database is away. */
export class KeyCopyAnswer implements Required<KeyCopyState> {
  @Time({ nullable: true, description: 'Null if there is no copy' }) copiedAt!: string | null;
  @Time({
    nullable: true,
    description: 'Until when devices can send events if the database does not answer from now on',
  })
  usableUntil!: string | null;
}
/** Whether requests can be served, and the state of the log and the database. */
export class ReadinessAnswer implements Required<Readiness> {
  @YesNo() ready!: boolean;
  @Part(() => LogNeedAnswer) log!: LogNeedAnswer;
  @Part(() => NeedAnswer) database!: NeedAnswer;
  @Part(() => KeyCopyAnswer) keys!: KeyCopyAnswer;
  @Part(() => NeedAnswer, { required: false, description: 'The auditor, if it runs here' })
  judging!: NeedAnswer;
  @Part(() => NeedAnswer, { required: false, description: 'The sealer, if it runs here' })
  sealing!: NeedAnswer;
}

/** A parked table: the position of its event, the reason, and the decision that was asked for. */
export class ParkedTableAnswer implements Required<ParkedTable> {
  @Text() table!: string;
  @Whole() partition!: number;
  @Whole() offset!: number;
  @Whole() line!: number;
  @Text() reason!: string;
  @Time() parkedAt!: string;
  @OneOf(['retry', 'release'], { nullable: true }) asked!: ParkedTable['asked'];
  @Text({ nullable: true }) askedBy!: string | null;
  @Time({ nullable: true }) askedAt!: string | null;
}
/** The parked tables that the sender may see, in order of table. */
export class ParkedTablesAnswer {
  @Parts(() => ParkedTableAnswer) items!: readonly ParkedTableAnswer[];
}

type Stopped = NonNullable<PartitionPosition['stopped']>;
/** Why, at which offset and when a partition was stopped. */
export class StoppedAnswer implements Required<Stopped> {
  @OneOf(['record', 'log'], {
    description: 'A record that cannot be read may be passed; a log that is at fault is restored',
  })
  about!: Stopped['about'];
  @Whole({ nullable: true, description: 'The line of the record that cannot be read, from 0' })
  line!: number | null;
  @Text() reason!: string;
  @Whole() offset!: number;
  @Time() at!: string;
}
/** How far a partition is folded, who owns it, and whether it is stopped. */
export class PartitionAnswer implements Required<PartitionPosition> {
  @Whole() partition!: number;
  @Whole({ description: 'The offset that is folded next' }) next!: number;
  @Whole() events!: number;
  @Text({ nullable: true }) owner!: string | null;
  @Whole() generation!: number;
  @Time({ nullable: true }) committedAt!: string | null;
  @Part(() => StoppedAnswer, { nullable: true }) stopped!: StoppedAnswer | null;
}
/** All partitions, in order of number. */
export class PartitionsAnswer {
  @Parts(() => PartitionAnswer) items!: readonly PartitionAnswer[];
}

/** The record at which a partition is stopped, as it lies in the log. */
export class StoppedRecordAnswer implements Required<StoppedRecord> {
  @Whole() partition!: number;
  @Whole() offset!: number;
  @Text({ description: 'The id of a table, unless another program wrote the record' }) key!: string;
  @Time({ nullable: true, description: 'When the log took it; null if the log does not keep that' })
  time!: string | null;
  @Whole({ description: 'The bytes of its value' }) size!: number;
  @Sha256Field() sha256!: string;
  @Text({ description: 'The first 64 KiB of its value, in base64' }) value!: string;
  @Whole({ description: 'The first line that cannot be read, from 0' }) line!: number;
  @Text({ description: 'Why it cannot be read' }) reason!: string;
  @Time() stoppedAt!: string;
}
