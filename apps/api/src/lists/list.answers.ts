import { pageOf } from '../docs/page.answer.js';
import { CoupAnswer } from './coup.answer.js';
import { FindingAnswer } from './finding.answer.js';
import { ShoeAnswer } from './shoe.answer.js';
import { TableAnswer } from './table.answer.js';

export class TablesAnswer extends pageOf(TableAnswer) {}
export class ShoesAnswer extends pageOf(ShoeAnswer) {}
export class CoupsAnswer extends pageOf(CoupAnswer) {}
export class FindingsAnswer extends pageOf(FindingAnswer) {}
