// A process that only watches: it records, by the machine's monotonic clock, when it was notified
// that rows reached a position.
import pg from 'pg';

const clock = () => Number(process.hrtime.bigint()) / 1e6;
const seen = [];

process.once('message', async ({ databaseUrl }) => {
  const client = new pg.Client(databaseUrl);
  client.on('notification', ({ payload }) => {
    const at = clock();
    for (const part of payload.split(',')) {
      const [partition, next] = part.split(':').map(Number);
      seen.push(at, partition, next);
    }
  });
  await client.connect();
  await client.query('listen shoeprint_rows');
  process.on('message', (what) => {
    if (what === 'tell')
      process.send({
        seen: Float64Array.from(seen),
        cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
      });
  });
  process.on('disconnect', () => process.exit(0));
  process.send('watching');
});
