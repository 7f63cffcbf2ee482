// A process that reads the whole log from its beginning: to rebuild the rows, or to put the events
// into a table with JSON.parse and unnest.
import { rebuildRows } from '#auditor';
import { openLog } from '#event-log';
import { Environment } from '#process';
import { installedRules } from '#rule-folder';
import { storeSettings } from '#server';
import pg from 'pg';

const clock = () => Number(process.hrtime.bigint()) / 1e6;
const ROWS = 1000;
const DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];

async function rebuild(log, databaseUrl) {
  const phases = {};
  const began = clock();
  const { swapped } = await rebuildRows({
    log,
    databaseUrl,
    book: installedRules(),
    gamingDays: DAYS,
    progress: ({ phase }) => (phases[phase] ??= clock() - began),
  });
  return { ms: clock() - began, phases, swapped };
}

const INSERT = `insert into parsed_event select * from unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[])`;

async function parseAndUnnest(log, databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('drop table if exists parsed_event');
  await client.query(
    `create table parsed_event (partition int, "offset" bigint, line int, type text, source text, id text, time timestamptz, "table" text, primary key (partition, "offset", line))`,
  );
  const began = clock();
  let columns = Array.from({ length: 8 }, () => []);
  const flush = async () => {
    await client.query({ name: 'insert', text: INSERT, values: columns });
    columns = columns.map(() => []);
  };
  for (let partition = 0; partition < log.partitions; partition += 1) {
    const head = await log.head(partition);
    for (let next = 0; next < head;) {
      const records = await log.read(partition, next, 4 * 1024 * 1024);
      for (const { offset, value } of records) {
        for (const [line, text] of Buffer.from(value.buffer, value.byteOffset, value.length)
          .toString('utf8')
          .split('\n')
          .entries()) {
          const { type, source, id, time, table } = JSON.parse(text);
          [partition, offset, line, type, source, id, time, table].forEach((each, i) =>
            columns[i].push(each),
          );
          if (columns[0].length >= ROWS) await flush();
        }
      }
      next = records.at(-1).offset + 1;
    }
  }
  await flush();
  const ms = clock() - began;
  await client.query('drop table parsed_event');
  await client.end();
  return { ms };
}

process.once('message', async ({ what, env }) => {
  const log = await openLog(storeSettings(new Environment(env)).log);
  process.send(await (what === 'rebuild' ? rebuild : parseAndUnnest)(log, env.DATABASE_URL));
  await log.close();
  process.disconnect();
});
