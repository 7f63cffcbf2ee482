import { QueryClient } from '@tanstack/react-query';
import { Refused } from './client.js';

const RETRIES_MAX = 2;

/**
 * Keeps what the pages have read. A refusal is an answer and is not asked again. Reads that got no
 * answer are tried three times. The stream says what has changed, so nothing is read by the clock.
 * A house may have no network beyond its own, so what the browser says about being online is not
 * asked.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: (failures, error) => !(error instanceof Refused) && failures < RETRIES_MAX,
      staleTime: 30_000,
      gcTime: 300_000,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
