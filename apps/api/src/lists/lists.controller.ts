import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  coups,
  findings,
  shoes,
  tables,
  type CoupWhole,
  type Page,
  type CoupLine,
  type FindingLine,
  type ReadAt,
  type ShoeLine,
  type ShoeWhole,
  type TableLine,
} from '#read-model';
import { Requires } from '../identity/requires.js';
import { Refuses } from '../problems/refuses.js';
import { AskLines } from '../reading/ask-lines.js';
import { csvFile } from '../reading/csv.js';
import { Read, ReadLines } from '../reading/documented.js';
import { Reader, Reading } from '../reading/reading.js';
import { CoupWholeAnswer } from './coup.answer.js';
import { COUP_COLUMNS, FINDING_COLUMNS, SHOE_LIST_COLUMNS, TABLE_COLUMNS } from './list-columns.js';
import {
  CoupsFields,
  FindingsFields,
  OpeningField,
  ShoesFields,
  TablesFields,
} from './list-fields.js';
import { CoupsAnswer, FindingsAnswer, ShoesAnswer, TablesAnswer } from './list.answers.js';
import { ShoeWholeAnswer } from './shoe.answer.js';
import { ShowCoup, ShowShoe } from './show.js';

/** The routes of tables, shoes, coups and findings (contract section 7). */
@ApiTags('lists')
@Controller('v1')
export class ListsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('tables')
  @Requires('read-tables')
  @ReadLines(
    'Tables as they stand: the open shoe and coup, cards as they come',
    TablesAnswer,
    csvFile('tables', TABLE_COLUMNS),
  )
  listTables(
    @Query() fields: TablesFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<TableLine>>> {
    return this.queries.execute(new AskLines(tables, by.asks(fields)));
  }

  @Get('shoes')
  @Requires('read-coups')
  @ReadLines('Shoes, the latest first', ShoesAnswer, csvFile('shoes', SHOE_LIST_COLUMNS))
  listShoes(@Query() fields: ShoesFields, @Reader() by: Reading): Promise<ReadAt<Page<ShoeLine>>> {
    return this.queries.execute(new AskLines(shoes, by.asks(fields)));
  }

  @Get('shoes/:id')
  @Requires('read-coups')
  @Read('A shoe with its coups, ledger and findings', ShoeWholeAnswer)
  @Refuses('not-found')
  @OpeningField()
  getShoe(@Param('id') id: string, @Reader() by: Reading): Promise<ReadAt<ShoeWhole>> {
    return this.queries.execute(new ShowShoe(id, by));
  }

  @Get('coups')
  @Requires('read-coups')
  @ReadLines('Coups, the latest first', CoupsAnswer, csvFile('coups', COUP_COLUMNS))
  listCoups(@Query() fields: CoupsFields, @Reader() by: Reading): Promise<ReadAt<Page<CoupLine>>> {
    return this.queries.execute(new AskLines(coups, by.asks(fields)));
  }

  @Get('coups/:id')
  @Requires('read-coups')
  @Read(
    'A coup card by card: what was due at each step, bets, settlements, findings',
    CoupWholeAnswer,
  )
  @Refuses('not-found', 'conflict')
  @OpeningField()
  getCoup(@Param('id') id: string, @Reader() by: Reading): Promise<ReadAt<CoupWhole>> {
    return this.queries.execute(new ShowCoup(id, by));
  }

  @Get('findings')
  @Requires('read-findings')
  @ReadLines(
    'Findings, the latest or the gravest first',
    FindingsAnswer,
    csvFile('findings', FINDING_COLUMNS),
  )
  listFindings(
    @Query() fields: FindingsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<FindingLine>>> {
    return this.queries.execute(
      new AskLines(
        (read, { order, ...filter }, paging) =>
          findings(read, filter, { ...paging, ...(order && { order }) }),
        by.asks(fields),
      ),
    );
  }
}
