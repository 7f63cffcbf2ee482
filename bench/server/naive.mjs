// The chain as it is often written: one message at a time, JSON.parse, a DTO checked by
// class-validator, an entity saved. Reads the topic from its beginning for a while and reports how
// many events it handled.
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsInt, IsISO8601, IsObject, IsOptional, IsString, Min, validate } from 'class-validator';
import kafkajs from 'kafkajs';
import { DataSource, EntitySchema } from 'typeorm';

class TableEventDto {
  /** @type {unknown} */
  data;
}

/** @type {Readonly<Record<string, readonly PropertyDecorator[]>>} */
const CHECKS = {
  specversion: [IsString()],
  type: [IsString()],
  source: [IsString()],
  id: [IsString()],
  time: [IsISO8601()],
  table: [IsString()],
  shoe: [IsOptional(), IsString()],
  session: [IsOptional(), IsString()],
  sequence: [IsOptional(), IsInt(), Min(1)],
  data: [IsObject()],
};
for (const [name, checks] of Object.entries(CHECKS))
  for (const check of checks) check(TableEventDto.prototype, name);

const Row = new EntitySchema({
  name: 'naive_event',
  columns: {
    id: { type: 'text', primary: true },
    source: { type: 'text', primary: true },
    type: { type: 'text' },
    time: { type: 'timestamptz' },
    table: { type: 'text' },
    shoe: { type: 'text', nullable: true },
    sequence: { type: 'bigint', nullable: true },
    data: { type: 'jsonb' },
  },
});

/** @typedef {{ databaseUrl: string, brokers: string[], topic: string, ms: number }} NaiveOrder */
/** @typedef {{ events: number, ms: number }} NaiveDone */

/** @param {NaiveOrder} order */
async function consume({ databaseUrl, brokers, topic, ms }) {
  const source = await new DataSource({
    type: 'postgres',
    url: databaseUrl,
    entities: [Row],
    synchronize: true,
  }).initialize();
  const rows = source.getRepository(Row);
  const consumer = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).consumer({
    groupId: `naive-${process.pid}`,
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let events = 0;
  let began = 0;
  const over = () => began > 0 && performance.now() - began >= ms;
  await consumer.run({
    eachMessage: async ({ message }) => {
      began ||= performance.now();
      for (const line of String(message.value).split('\n')) {
        if (over()) return;
        const event = JSON.parse(line);
        const faults = await validate(plainToInstance(TableEventDto, event));
        if (faults.length > 0) throw new Error(String(faults[0]));
        const { id, source: from, type, time, table, shoe, sequence, data } = event;
        await rows.save({ id, source: from, type, time, table, shoe, sequence, data });
        events += 1;
      }
    },
  });
  while (!over()) await new Promise((resolve) => setTimeout(resolve, 20));
  process.send?.({ events, ms: performance.now() - began });
  process.exit(0);
}

process.once('message', (/** @type {NaiveOrder} */ order) => void consume(order));
