// Writes docs/api-examples.json: the examples of the OpenAPI document, taken from the sample day.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedRules } from '#rule-folder';
import { sampleDayLines } from '#built/apps/standalone/src/sample/sample-day';
import { SAMPLE_DAY, startSampleServer } from './sample-server.mjs';

const LINES_MAX = 2;
/** What is asked for each example, by operation. */
const ASKED = {
  listTables: '/v1/tables?table=B01',
  listShoes: '/v1/shoes?table=B01',
  listCoups: '/v1/coups?flagged=true',
  listFindings: '/v1/findings?code=TC-05',
  countFindings: '/v1/findings/facets?code=TC-05',
  reportCommission: '/v1/reports/commission?by=table',
  reportCommissionCoups: '/v1/reports/commission/coups',
  reportMisdealt: '/v1/reports/misdealt?code=TC-05',
  reportDealers: '/v1/reports/dealers?table=B01',
  reportShoes: '/v1/reports/shoes?table=B01',
  reportPayouts: '/v1/reports/payouts?table=B01',
  reportPayoutCoups: '/v1/reports/payouts/coups?table=B01',
  reportDevices: '/v1/reports/devices?table=B01',
  listDeliveries: '/v1/deliveries',
  listRules: '/v1/rules',
  getRules: '/v1/rules/super-6@1',
  diffRules: '/v1/rules/diff?from=punto-banco@1&to=super-6@1',
  listPolicies: '/v1/policies',
  getPolicy: '/v1/policies/review@1',
  diffPolicies: '/v1/policies/diff?from=review@1&to=review@1',
  getMe: '/v1/me',
};

/** @typedef {{ lines?: { coupRef?: string, shoeRef?: string, id?: string }[] }} Answer */

/**
 * Returns an example of each answer, by operation, and of the events that are sent.
 * @param {{ url: string, signIn: () => Promise<string> }} server
 * @returns {Promise<Record<string, unknown>>}
 */
export async function examplesOf({ url, signIn }) {
  const headers = { authorization: `Bearer ${await signIn()}` };
  /** @param {string} path */
  const ask = async (path) =>
    /** @type {Answer} */ (await (await fetch(`${url}${path}`, { headers })).json());
  /** @type {Record<string, Answer>} */
  const examples = {};
  for (const [operation, path] of Object.entries(ASKED))
    examples[operation] = shortened(await ask(path));
  const { coupRef = '', shoeRef = '', id = '' } = examples.listFindings?.lines?.[0] ?? {};
  examples.getFinding = shortened(await ask(`/v1/findings/${id}`));
  examples.listHistory = shortened(await ask(`/v1/findings/${id}/history`));
  examples.getCoup = await ask(`/v1/coups/${encodeURIComponent(coupRef)}`);
  examples.getShoe = shortened(await ask(`/v1/shoes/${encodeURIComponent(shoeRef)}`));
  const events = sent();
  examples.appendEvents = shortened(await checked(url, headers, Object.values(events)));
  return { ...examples, ...events };
}

/**
 * Returns what a check says of events, with a key of its own.
 * @param {string} url
 * @param {{ authorization: string }} headers
 * @param {unknown[]} events
 */
async function checked(url, headers, events) {
  /** @param {string} path @param {string} type @param {unknown} body @param {object} as */
  const post = async (path, type, body, as) =>
    (
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...as, 'content-type': type },
        body: JSON.stringify(body),
      })
    ).json();
  const scope = { name: 'example', sources: ['device/*'], tables: ['*'], types: ['*'] };
  const { token } = /** @type {{ token: string }} */ (
    await post('/v1/keys', 'application/json', scope, headers)
  );
  const type = 'application/cloudevents-batch+json';
  return /** @type {Answer} */ (
    await post('/v1/events?check=true', type, events, { authorization: `Bearer ${token}` })
  );
}

/**
 * Returns a card and an outcome of the sample day, as they are sent. They carry no number, so that
 * the first of them that is sent as it stands has no gap before it.
 */
function sent() {
  /** @type {Map<string, unknown>} */
  const found = new Map();
  for (const line of sampleDayLines(installedRules([]), SAMPLE_DAY)) {
    const {
      session: _session,
      sequence: _sequence,
      ...event
    } = /** @type {{ type: string, session?: string, sequence?: number }} */ (JSON.parse(line));
    if (!found.has(event.type)) found.set(event.type, event);
    if (event.type === 'shoeprint.outcome-declared.v1') break;
  }
  return {
    card: found.get('shoeprint.card-drawn.v1'),
    outcome: found.get('shoeprint.outcome-declared.v1'),
  };
}

/**
 * Returns an answer whose lists have their first lines only.
 * @param {Answer} answer
 */
const shortened = (answer) =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, LINES_MAX) : value,
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startSampleServer();
  try {
    writeFileSync(
      'docs/api-examples.json',
      `${JSON.stringify(await examplesOf(server), null, 1)}\n`,
    );
  } finally {
    await server.stop();
  }
}
