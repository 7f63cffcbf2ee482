import { ListsController } from '../lists/lists.controller.js';
import {
  ListCoupsHandler,
  ListFindingsHandler,
  ListShoesHandler,
  ListTablesHandler,
  ShowCoupHandler,
  ShowShoeHandler,
} from '../lists/lists.js';
import { AskReportHandler } from '../reports/ask-report.js';
import { ReportsController } from '../reports/reports.controller.js';
import { AskChangesHandler, AskPositionsHandler } from '../stream/ask-changes.js';
import { PositionsWatch } from '../stream/positions-watch.js';
import { StreamController } from '../stream/stream.controller.js';
import { RowsReader } from './rows-reader.js';

/** Everything that is read from the rows: lists, reports, the stream. */
export const READING_CONTROLLERS = [ListsController, ReportsController, StreamController];
export const READING_PROVIDERS = [
  RowsReader,
  PositionsWatch,
  AskReportHandler,
  AskChangesHandler,
  AskPositionsHandler,
  ListTablesHandler,
  ListShoesHandler,
  ListCoupsHandler,
  ListFindingsHandler,
  ShowShoeHandler,
  ShowCoupHandler,
];
