// Prints the coups that were dealt wrong. SHOEPRINT_URL is a server, SHOEPRINT_TOKEN a token of it.
import createClient from 'openapi-fetch';

const { SHOEPRINT_URL = '', SHOEPRINT_TOKEN = '' } = process.env;
const headers = { authorization: `Bearer ${SHOEPRINT_TOKEN}` };
/** @type {import('openapi-fetch').Client<import('#api-types').paths, 'application/json'>} */
const api = createClient({ baseUrl: SHOEPRINT_URL, headers });
const query = { limit: 1000 };
const { data, error } = await api.GET('/v1/reports/misdealt', { params: { query } });
if (!data) throw new Error(JSON.stringify(error));
for (const { table, shoe, coup, findings } of data.lines)
  for (const { code, message } of findings) console.log(table, shoe, coup, code, message);
