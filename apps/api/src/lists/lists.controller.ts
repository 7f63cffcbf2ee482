import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  coups,
  everyCoup,
  everyFinding,
  everyShoe,
  everyTable,
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
import { AskLines, type List } from '../reading/ask-lines.js';
import { fileOf } from '../reading/files/columns.js';
import { Read, ReadLines } from '../reading/documented.js';
import type { Export } from '../reading/files/export.js';
import { Reader, Reading } from '../reading/reading.js';
import { CoupWholeAnswer } from './coup.answer.js';
import { COUP_COLUMNS, FINDING_COLUMNS, SHOE_LIST_COLUMNS, TABLE_COLUMNS } from './list-columns.js';
import {
  CoupsFields,
  FindingsFields,
  OpeningField,
  OpeningFields,
  ShoesFields,
  TablesFields,
} from './list-fields.js';
import { Deadlines } from './deadlines.js';
import { CoupsAnswer, FindingsAnswer, ShoesAnswer, TablesAnswer } from './list.answers.js';
import { ShoeWholeAnswer } from './shoe.answer.js';
import { ShowCoup, ShowShoe } from './show.js';

const TABLES = { page: tables, every: everyTable, file: fileOf('tables', TABLE_COLUMNS) };
const SHOES = { page: shoes, every: everyShoe, file: fileOf('shoes', SHOE_LIST_COLUMNS) };
const COUPS = { page: coups, every: everyCoup, file: fileOf('coups', COUP_COLUMNS) };
const FINDINGS: List<FindingsAsked, Page<FindingLine>, FindingLine> = {
  page: (read, { order, ...filter }, paging) =>
    findings(read, filter, { ...paging, ...(order && { order }) }),
  every: everyFinding,
  file: fileOf('findings', FINDING_COLUMNS),
};
type FindingsAsked = Parameters<typeof everyFinding>[1];

/** The routes of tables, shoes, coups and findings (contract section 7). */
@ApiTags('lists')
@Controller('v1')
export class ListsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly deadlines: Deadlines,
  ) {}

  @Get('tables')
  @Requires('read-tables')
  @ReadLines('Tables now: the open shoe and coup, with the cards so far', TablesAnswer)
  listTables(
    @Query() fields: TablesFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<TableLine>> | Export> {
    return this.queries.execute(new AskLines(TABLES, by.asks(fields)));
  }

  @Get('shoes')
  @Requires('read-coups')
  @ReadLines('Shoes, newest first', ShoesAnswer)
  listShoes(
    @Query() fields: ShoesFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<ShoeLine>> | Export> {
    return this.queries.execute(new AskLines(SHOES, by.asks(fields)));
  }

  @Get('shoes/:id')
  @Requires('read-coups')
  @Read('A shoe with its coups, ledger and findings', ShoeWholeAnswer)
  @Refuses('not-found')
  @OpeningField()
  getShoe(
    @Param('id') id: string,
    @Query() fields: OpeningFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<ShoeWhole>> {
    return this.queries.execute(new ShowShoe(id, by, fields));
  }

  @Get('coups')
  @Requires('read-coups')
  @ReadLines('Coups, newest first', CoupsAnswer)
  listCoups(
    @Query() fields: CoupsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<CoupLine>> | Export> {
    return this.queries.execute(new AskLines(COUPS, by.asks(fields)));
  }

  @Get('coups/:id')
  @Requires('read-coups')
  @Read(
    'A coup card by card: what was due at each step, bets, settlements, findings',
    CoupWholeAnswer,
  )
  @Refuses('not-found', 'conflict')
  @OpeningField()
  getCoup(
    @Param('id') id: string,
    @Query() fields: OpeningFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<CoupWhole>> {
    return this.queries.execute(new ShowCoup(id, by, fields));
  }

  @Get('findings')
  @Requires('read-findings')
  @ReadLines('Findings, newest or gravest first, or as the review queue', FindingsAnswer)
  listFindings(
    @Query() fields: FindingsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<FindingLine>> | Export> {
    const { filter, ...asked } = by.asks(fields);
    return this.queries.execute(
      new AskLines(FINDINGS, { ...asked, filter: this.deadlines.in(filter) }),
    );
  }
}
