import { queryOptions } from '@tanstack/react-query';
import { type Answers, answered, api } from '../api/client.js';
import { queries } from '../api/queries.js';

/** Everything of one finding, and by how much the clock of the server is ahead, in milliseconds. */
export type Whole = Answers['FindingWholeAnswer'] & { readonly clockAheadMs: number };

/**
 * A finding or a coup is read again whenever it is opened, because changes are heard only while it
 * is shown.
 */
export const READ_WHEN_OPENED = { staleTime: 0 };

/** The query for one finding with its coup, review and history. */
export const findingQuery = (id: string) =>
  queryOptions({
    ...READ_WHEN_OPENED,
    queryKey: ['finding', id],
    queryFn: async ({ signal }): Promise<Whole> => {
      const { data, response } = await answered(
        api.GET('/v1/findings/{id}', { params: { path: { id } }, signal }),
      );
      const date = Date.parse(response.headers.get('Date') ?? '');
      const clockAheadMs = Number.isNaN(date) ? 0 : date - Date.now();
      return { ...(data as Answers['FindingWholeAnswer']), clockAheadMs };
    },
  });

/**
 * Begins to read a finding that is being opened, while its screen is on its way. It counts as a
 * look, so it is called for nothing less. What fails is read again, and shown, by the screen.
 */
export const readOpened = (id: string): void =>
  void queries.query(findingQuery(id)).catch(() => undefined);
