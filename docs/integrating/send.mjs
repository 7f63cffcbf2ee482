// Sends a whole coup to a table, its first card by itself. SHOEPRINT_URL and SHOEPRINT_KEY name the
// server and the key.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const { SHOEPRINT_URL: url, SHOEPRINT_KEY: key } = process.env;
const table = process.argv[2] ?? 'X01';
const session = randomUUID(); // another one after every start of the device
const SEND_AGAIN = [408, 429, 502, 503, 504];

let sequence = 0;

/**
 * Returns the next event of this session.
 * @param {string} type
 * @param {object} data
 */
function event(type, data) {
  sequence += 1;
  return {
    specversion: '1.0',
    type: `shoeprint.${type}.v1`,
    source: `device/${table}-gateway`,
    id: `${session}/${sequence}`,
    time: new Date().toISOString(),
    table,
    shoe: `${table}-${session}`,
    session,
    sequence,
    data,
  };
}

/**
 * Sends the same bytes again until all events in them are durable.
 * @param {string} mediaType
 * @param {object} body
 */
async function send(mediaType, body) {
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': mediaType },
    body: JSON.stringify(body),
  };
  for (let pauseMs = 250; ; pauseMs = Math.min(5000, pauseMs * 2)) {
    let askedMs = 0;
    try {
      const signal = AbortSignal.timeout(60_000);
      const answer = await fetch(`${url}/v1/events`, { ...request, signal });
      const text = await answer.text();
      if (answer.status === 202) return;
      if (!SEND_AGAIN.includes(answer.status)) {
        console.error(`refused: ${answer.status} ${text}`);
        process.exit(1);
      }
      askedMs = 1000 * Number(answer.headers.get('retry-after') ?? 0);
    } catch (broken) {
      console.error(`the connection broke: ${String(broken)}`);
    }
    await wait(Math.max(pauseMs, askedMs));
  }
}

/** @param {object} one */
const sendOne = (one) => send('application/cloudevents+json', one);
/** @param {object[]} many */
const sendMany = (...many) => send('application/cloudevents-batch+json', many);

await sendMany(
  event('shoe-opened', {
    rules: 'punto-banco-no-burn@1',
    decks: 8,
    kind: 'physical',
    currency: 'USD',
    reports: ['outcomes', 'dealers'],
  }),
  event('dealer-signed-on', { dealer: 'dora', role: 'dealer' }),
  event('coup-opened', { coup: 1 }),
  event('betting-closed', {}),
);
await sendOne(event('card-drawn', { card: '9S', to: 'player' }));
await sendMany(
  event('card-drawn', { card: '5C', to: 'banker' }),
  event('card-drawn', { card: 'KH', to: 'player' }),
  event('card-drawn', { card: '3D', to: 'banker' }),
  event('outcome-declared', { outcome: 'player', by: 'dealer' }),
  event('coup-closed', {}),
  event('shoe-closed', { reason: 'end' }),
);
console.log(`recorded ${sequence} events of table ${table}`);
