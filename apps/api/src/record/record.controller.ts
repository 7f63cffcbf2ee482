import { applyDecorators, Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RecordedReading } from '../house/recorded-reading.js';
import { TextParam } from '../http/parameters.js';
import { Requires } from '../identity/requires.js';
import { Refuses } from '../problems/refuses.js';
import type { Export } from '../reading/files/export.js';
import { MEDIA_TYPES } from '../reading/files/formats.js';
import { Offers } from '../reading/files/offers.js';
import {
  LOG_POSITION,
  MIN_POSITION,
  PASSED_RECORDS,
  POSITIONS_PATTERN,
} from '../reading/positions.js';
import { ReadAnswer } from '../reading/read-answer.interceptor.js';
import { Reader, Reading } from '../reading/reading.js';
import { linesAsked, RecordFields } from './record-fields.js';
import { SaveRecord } from './save-record.js';

const POSITIONS = { type: 'string', pattern: POSITIONS_PATTERN } as const;
const HEADERS = {
  [LOG_POSITION]: {
    description: 'The position up to which the file has the lines of the table',
    schema: POSITIONS,
  },
  [PASSED_RECORDS]: {
    description:
      'The passed records of the table, which the file leaves out: `partition:offset`, comma-separated. Absent if the table has no passed record',
    schema: POSITIONS,
  },
} as const;

const RecordDocumented = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The exact lines of a table, in the order of the log',
      description:
        'Sends what was recorded, read from the log, one event a line as `shoeprint audit` ' +
        'takes it. It ends where the log ended when it was asked for. The whole partition of ' +
        'the table is read, in at most a tenth of the time while events are being recorded. ' +
        'A file that ends without the end of its chunks is not whole. `@house` is the record ' +
        'of the house, for those who may see every table. A record that cannot be read and that ' +
        'an administrator passed is left out.',
    }),
    TextParam('table', { description: 'The id of the table, percent-encoded', example: 'B01' }),
    ApiHeader({
      name: MIN_POSITION,
      required: false,
      description: 'The `Log-Position` of an append: waits up to 2 s until the table is known',
      schema: POSITIONS,
    }),
    ApiResponse({
      status: 200,
      description: 'The lines, each with a line feed',
      headers: HEADERS,
      content: { [MEDIA_TYPES.ndjson]: { schema: { type: 'string' } } },
    }),
    Refuses(
      'invalid-request',
      'not-found',
      'not-acceptable',
      'too-many-at-once',
      'not-yet-visible',
      'not-ready',
    ),
  );

/** The route of the exact lines of a table. */
@ApiTags('record')
@Controller('v1/tables')
export class RecordController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':table/record')
  @Requires('read-record')
  @Offers(['ndjson'])
  @UseInterceptors(RecordedReading, ReadAnswer)
  @RecordDocumented()
  saveRecord(
    @Param('table') table: string,
    @Query() fields: RecordFields,
    @Reader() by: Reading,
  ): Promise<Export> {
    return this.queries.execute(new SaveRecord(table, linesAsked(fields), by));
  }
}
