// Writes dist/api-types.d.ts after a build: the types of the OpenAPI document, which programs
// import as `#api-types`.
import { writeFileSync } from 'node:fs';
import { openApiDocument } from '#api';
import openapiTS, { astToString } from 'openapi-typescript';

const document = /** @type {import('openapi-typescript').OpenAPI3} */ (await openApiDocument());
writeFileSync('dist/api-types.d.ts', astToString(await openapiTS(document)));
