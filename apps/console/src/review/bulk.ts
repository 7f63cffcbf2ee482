import { type Answers, api, dataOf, newKey } from '../api/client.js';

/** One ruling for several findings. */
export type BulkRuling = Omit<Answers['BulkRuling'], 'dryRun' | 'preview'>;
/** What became of each finding, or would. */
export type BulkAnswer = Answers['BulkAnswer'];

/** The findings that the server rules on at once at most. */
export const BULK_MAX = 200;

/** Asks what would happen to each finding. Nothing is recorded. Throws what `dataOf` throws. */
export const previewBulk = (ruling: BulkRuling): Promise<BulkAnswer> =>
  send({ ...ruling, dryRun: true }, newKey());

/**
 * Proposes the ruling for each finding for which nothing else is foreseen. `preview` names what was
 * looked at: if a finding changed since, it throws `Refused` as `preview-changed`. Send it again
 * under the same key if no answer came.
 */
export const ruleInBulk = (ruling: BulkRuling, preview: string, key: string): Promise<BulkAnswer> =>
  send({ ...ruling, preview }, key);

const send = (body: Answers['BulkRuling'], key: string): Promise<BulkAnswer> =>
  dataOf(api.POST('/v1/findings/bulk', { params: { header: { 'Idempotency-Key': key } }, body }));
