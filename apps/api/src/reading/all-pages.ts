import type { Page, Paging } from '#read-model';
import { Problem } from '../problems/problems.js';

/** More lines than a spreadsheet takes are no file for people: it is to be narrowed. */
const LINES_MAX = 500_000;
const PAGE_OF_ALL = 1_000;

/** One page of a list, or every line of it as if it were one page. Throws `too-large` where that is over half a million lines. */
export async function pagesOf<Answer extends { readonly lines: readonly unknown[] }>(
  pages: Paging | 'all',
  page: (paging: Paging) => Promise<Answer>,
): Promise<Answer> {
  if (pages !== 'all') return page(pages);
  const first = await page({ limit: PAGE_OF_ALL });
  const lines: unknown[] = [...first.lines];
  for (let next = nextOf(first); next !== null;) {
    if (lines.length >= LINES_MAX)
      throw new Problem(
        'too-large',
        `there are over ${LINES_MAX} lines; narrow it by from, to or table`,
      );
    const more = await page({ limit: PAGE_OF_ALL, cursor: next });
    lines.push(...more.lines);
    next = nextOf(more);
  }
  return { ...first, lines, ...(nextOf(first) !== null && { next: null }) };
}

/** Where a list goes on; one that has no pages ends at once. */
const nextOf = (page: object): string | null => (page as Partial<Page<unknown>>).next ?? null;
