import { applyDecorators, Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { FindingField } from '../findings/finding-field.js';
import { RecordedReading } from '../house/recorded-reading.js';
import { Requires } from '../identity/requires.js';
import { Refuses } from '../problems/refuses.js';
import type { Export } from '../reading/files/export.js';
import { ChoiceField, TextField } from '../reading/filter-fields.js';
import { MEDIA_TYPES } from '../reading/files/formats.js';
import { Offers } from '../reading/files/offers.js';
import { LOG_POSITION, MIN_POSITION, POSITIONS_PATTERN } from '../reading/positions.js';
import { ReadAnswer } from '../reading/read-answer.interceptor.js';
import { Reader, Reading } from '../reading/reading.js';
import { REFERENCES_TYPE } from './evidence-file.js';
import { SaveEvidence } from './save-evidence.js';

/** The query of the lines behind a finding. */
class EvidenceFields {
  @ChoiceField(['on', 'off'], 'on')
  stamps?: 'on' | 'off';

  @TextField({
    description:
      'The reference of an act on the finding: only the lines that came to the log after it, ' +
      'such as those that made a proposal fall',
  })
  after?: string;
}

const EvidenceDocumented = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The exact log lines that a finding rests on, in the order of its evidence',
      description:
        'Read from the log and not from the rows. ' +
        'With `stamps=off` the SHA-256 of the file is the `evidence` of the review. ' +
        'For a finding about no shoe within reach: the references that it names, one a line, as text.',
    }),
    FindingField(),
    ApiHeader({
      name: MIN_POSITION,
      required: false,
      description: 'The `Log-Position` of an append: waits up to 2 s until the rows include it',
      schema: { type: 'string', pattern: POSITIONS_PATTERN },
    }),
    ApiResponse({
      status: 200,
      description: 'The lines, each with a line feed',
      headers: {
        [LOG_POSITION]: {
          description: 'The positions of the log at which these lines were found',
          schema: { type: 'string', pattern: POSITIONS_PATTERN },
        },
      },
      content: {
        [MEDIA_TYPES.ndjson]: { schema: { type: 'string' } },
        [REFERENCES_TYPE]: { schema: { type: 'string' } },
      },
    }),
    Refuses(
      'invalid-request',
      'not-found',
      'conflict',
      'not-acceptable',
      'not-yet-visible',
      'not-ready',
    ),
  );

/** The route of the exact lines behind a finding. */
@ApiTags('record')
@Controller('v1/findings')
export class EvidenceController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':id/record')
  @Requires('read-findings')
  @Offers(['ndjson'])
  @UseInterceptors(RecordedReading, ReadAnswer)
  @EvidenceDocumented()
  saveEvidence(
    @Param('id') id: string,
    @Query() { stamps, after }: EvidenceFields,
    @Reader() by: Reading,
  ): Promise<Export> {
    return this.queries.execute(
      new SaveEvidence(id, { stamps: stamps !== 'off', ...(after !== undefined && { after }) }, by),
    );
  }
}
