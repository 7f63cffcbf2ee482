// Writes the published schema of a gateway's configuration from the form that the gateway checks it
// with. Needs a build.
//   node scripts/gateway-schema.mjs
import { writeFileSync } from 'node:fs';
import { CONFIGURATION_FORM } from '#gateway';

const FILE = 'docs/integrating/gateway.schema.json';

writeFileSync(FILE, `${JSON.stringify(CONFIGURATION_FORM, null, 2)}\n`);
