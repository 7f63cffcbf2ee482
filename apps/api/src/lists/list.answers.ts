import { pageAnswerOf } from '../docs/page.answer.js';
import { CoupAnswer } from './coup.answer.js';
import { FindingAnswer } from './finding.answer.js';
import { ShoeAnswer } from './shoe.answer.js';
import { TableAnswer } from './table.answer.js';

/** A page of the current state of tables. */
export class TablesAnswer extends pageAnswerOf(TableAnswer) {}
/** A page of shoes. */
export class ShoesAnswer extends pageAnswerOf(ShoeAnswer) {}
/** A page of coups. */
export class CoupsAnswer extends pageAnswerOf(CoupAnswer) {}
/** A page of findings. */
export class FindingsAnswer extends pageAnswerOf(FindingAnswer) {}
