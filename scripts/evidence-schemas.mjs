// Writes the JSON Schemas of the files in an evidence package, from the forms that its reader and
// its writer use. Needs a build.
//   npm run evidence:schemas
import { packageSchemas } from '#evidence';
import { writeFileSync } from 'node:fs';

for (const [name, schema] of packageSchemas())
  writeFileSync(`libs/evidence/schemas/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
