import { EXPORT_FORMATS } from '#export';
import {
  Choices,
  OneOf,
  Part,
  Parts,
  Real,
  Sha256Field,
  Text,
  Texts,
  Time,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import { ApiProperty } from '@nestjs/swagger';
import { EXPORT_STATES, type ExportJob } from './making/export-jobs.js';
import { ExportScope } from './exports.fields.js';

/** The steps of making a package, in order. */
const STEPS = [
  ...['sealing', 'choosing', 'writing', 'verifying', 'packing', 'made'],
  'recording',
] as const;

/** A package that was made. */
class PackageAnswer {
  @Text({ description: 'Its id, and the name of its folder' }) id!: string;
  @Sha256Field({ description: 'Of the file' }) sha256!: string;
  @Whole({ description: 'Bytes of the file' }) size!: number;
  @Whole({ description: 'The size of its checkpoint' }) checkpoint!: number;
  @Whole() records!: number;
  @Text({ description: 'The receipt in it: a note by the key that signs packages' })
  receipt!: string;
  @Text({ description: 'Its checkpoint with all signatures. Keep it, for `--trusted`' })
  note!: string;
  @Texts({ description: 'What its reader should know' }) warnings!: readonly string[];
}

/** Why no package was made. */
class ExportFailureAnswer {
  @Text({ description: 'A stable name of the reason' }) code!: string;
  @Text() detail!: string;
}

/** An export: what was asked for, and how far it is. */
export class ExportAnswer {
  @Text() id!: string;
  @OneOf(EXPORT_STATES, {
    description: '`gone`: the package was removed, by somebody or by age. Ask for it again',
  })
  state!: string;
  @Part(() => ExportScope) scope!: ExportScope;
  @Text() purpose!: string;
  @Text() recipient!: string;
  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 1 } }) since!: readonly number[];
  @Choices(EXPORT_FORMATS) formats!: readonly string[];
  @YesNo() asItIs!: boolean;
  @Text({ description: 'Who asked: `person/…`' }) askedBy!: string;
  @Time() askedAt!: string;
  @OneOf(STEPS, {
    nullable: true,
    description: 'While it is being made. `recording`: it waits for the record of the house',
  })
  step!: string | null;
  @Real({ nullable: true, maximum: 1, description: 'How much of the step is done, if known' })
  share!: number | null;
  @Time({ nullable: true }) endedAt!: string | null;
  @Part(() => PackageAnswer, { nullable: true, description: 'Once it is made' })
  package!: PackageAnswer | null;
  @Part(() => ExportFailureAnswer, { nullable: true, description: 'If it failed' })
  failure!: ExportFailureAnswer | null;
}

/** The latest exports. */
export class ExportsAnswer {
  @Parts(() => ExportAnswer) items!: readonly ExportAnswer[];
}

/** Returns an export as its reader sees it. */
export function exportShown(job: ExportJob): ExportAnswer {
  const { id, state, purpose, recipient, askedBy, askedAt, asked, step, share } = job;
  const { made, code, detail, endedAt } = job;
  const isOver = state !== 'waiting' && state !== 'making';
  return {
    ...{ id, state, scope: asked.scope, purpose, recipient },
    ...{ since: asked.since, formats: asked.formats, asItIs: asked.asItIs },
    ...{ askedBy, askedAt: askedAt.toISOString(), step, share },
    endedAt: isOver && endedAt ? endedAt.toISOString() : null,
    package: isOver ? made : null,
    failure: code === null ? null : { code, detail: detail ?? '' },
  };
}
