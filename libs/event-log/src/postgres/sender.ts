import { asError } from '#process';
import pg from 'pg';
import type { Batch } from '../batcher.js';
import { NotRecorded, OutcomeUnknown } from '../port.js';
import type { Sessions } from './sessions.js';

const STATEMENT = {
  name: 'log-append',
  text: 'select log.append($1, $2, $3, $4, $5, $6, $7, $8) as firsts',
};

/**
 * Appends batches in one round trip. Rejects with `NotRecorded` if nothing can have been recorded,
 * and otherwise with `OutcomeUnknown`.
 */
export async function sendBatches(
  sessions: Sessions,
  batches: readonly Batch[],
): Promise<number[]> {
  const client = await sessions.take().catch((error: unknown) => {
    throw new NotRecorded(`PostgreSQL cannot be reached: ${asError(error).message}`, {
      cause: error,
    });
  });
  try {
    const { rows } = await client.query<{ firsts: string[] }>({
      ...STATEMENT,
      values: parametersOf(batches),
    });
    client.release();
    return (rows[0] as { firsts: string[] }).firsts.map(Number);
  } catch (error) {
    const isAlive = error instanceof pg.DatabaseError && (await answers(client));
    client.release(!isAlive);
    const { message } = asError(error);
    if (isAlive) throw new NotRecorded(`PostgreSQL refused: ${message}`, { cause: error });
    throw new OutcomeUnknown(`the connection broke before PostgreSQL answered: ${message}`, {
      cause: error,
    });
  }
}

/**
 * Appends the first record of a batch and takes it back. Rejects if the server does not take it.
 * `role`: the role of the log's sessions, if they have one.
 */
export async function tryAppend(
  client: pg.ClientBase,
  { partition, records }: Batch,
  role: string | undefined,
): Promise<void> {
  await client.query(role === undefined ? 'begin' : `begin; set local role ${role}`);
  const values = parametersOf([{ partition, records: records.slice(0, 1) }]);
  await client.query({ text: STATEMENT.text, values });
  await client.query('rollback');
}

/**
 * Returns whether the session survived the error. If it did, the server rolled the statement back.
 * An error that ends the session (a shutdown, a crash, a failed write of the write-ahead log) may
 * follow the commit.
 */
const answers = (client: pg.ClientBase): Promise<boolean> =>
  client.query('select').then(
    () => true,
    () => false,
  );

/**
 * Returns the records of all batches as parallel arrays, with their values in one buffer, which pg
 * sends unchanged.
 */
function parametersOf(batches: readonly Batch[]): unknown[] {
  const values: Uint8Array[] = [];
  const [ofBatch, nths, keys, starts, lengths]: [number[], number[], string[], number[], number[]] =
    [[], [], [], [], []];
  let start = 1;
  for (const [at, { records }] of batches.entries())
    for (const [nth, { key, value }] of records.entries()) {
      ofBatch.push(at + 1);
      nths.push(nth);
      keys.push(key);
      starts.push(start);
      lengths.push(value.length);
      values.push(value);
      start += value.length;
    }
  return [
    batches.map(({ partition }) => partition),
    batches.map(({ records }) => records.length),
    ofBatch,
    nths,
    keys,
    starts,
    lengths,
    Buffer.concat(values),
  ];
}
