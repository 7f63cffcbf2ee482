import { OneOf, Part, Parts, Text, Texts, Time, Whole, YesNo } from '../docs/answer-fields.js';
import type { ParkedTable } from '#read-model';
import type { PartitionPosition } from './parked.js';
import type { Need, Readiness } from './readiness.js';

export class LivenessAnswer {
  @YesNo() live!: true;
}

export class NeedAnswer implements Required<Need> {
  @YesNo() ok!: boolean;
  @Texts() notes!: readonly string[];
}
export class LogNeedAnswer extends NeedAnswer implements Required<Readiness['log']> {
  @YesNo({ description: 'An acknowledged event survives a power failure of any one machine' })
  powerSafe!: boolean;
  @Whole({ required: false, description: 'Bytes that wait to be appended' }) queuedBytes!: number;
}
export class ReadinessAnswer implements Required<Readiness> {
  @YesNo() ready!: boolean;
  @Part(() => LogNeedAnswer) log!: LogNeedAnswer;
  @Part(() => NeedAnswer) database!: NeedAnswer;
}

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
export class ParkedTablesAnswer {
  @Parts(() => ParkedTableAnswer) items!: readonly ParkedTableAnswer[];
}

type Stopped = NonNullable<PartitionPosition['stopped']>;
export class StoppedAnswer implements Required<Stopped> {
  @Text() reason!: string;
  @Whole() offset!: number;
  @Time() at!: string;
}
export class PartitionAnswer implements Required<PartitionPosition> {
  @Whole() partition!: number;
  @Whole({ description: 'The offset that is folded next' }) next!: number;
  @Whole() events!: number;
  @Text({ nullable: true }) owner!: string | null;
  @Whole() generation!: number;
  @Time({ nullable: true }) committedAt!: string | null;
  @Part(() => StoppedAnswer, { nullable: true }) stopped!: StoppedAnswer | null;
}
export class PartitionsAnswer {
  @Parts(() => PartitionAnswer) items!: readonly PartitionAnswer[];
}
