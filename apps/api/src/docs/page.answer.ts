import type { Page } from '#read-model';
import { Parts, PositionsField, Text } from './answer-fields.js';

/** Returns the base class for answers that are a page of these lines. */
export function pageAnswerOf<Line extends object>(
  line: new () => Line,
): new () => Page<Line> & { readonly positions: string } {
  class PageAnswer implements Page<Line> {
    @PositionsField() positions!: string;
    @Parts(() => line) lines!: readonly Line[];
    @Text({ nullable: true, description: 'The cursor of the next page; null on the last one' })
    next!: string | null;
  }
  return PageAnswer;
}
