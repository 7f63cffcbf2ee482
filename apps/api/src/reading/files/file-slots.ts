import { Injectable } from '@nestjs/common';
import { Metrics } from '../../operation/metrics.js';
import { AnswerSlots } from './answer-slots.js';

/** The most files that are sent at a time in this process. One person may have both slots. */
const FILES_MAX = { inAll: 2, each: 2 };

/** The part of the time that one file takes while events are being recorded. */
export const FILE_SHARE = 0.1;

/** The slots for files: of lists, reports and the record. */
@Injectable()
export class FileSlots extends AnswerSlots {
  constructor(metrics: Metrics) {
    super('exports', FILES_MAX, metrics);
  }
}
