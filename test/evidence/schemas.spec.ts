import { packageSchemas, PACKAGE_FILES } from '#evidence';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readdirSync, readFileSync } from 'node:fs';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed } from './site-package.js';

const FOLDER = 'libs/evidence/schemas';
const schemas = packageSchemas();

describe('the schemas of the files in a package', () => {
  test('are those that the forms make: npm run evidence:schemas', () => {
    const files = new Map(
      readdirSync(FOLDER).map((name) => [
        name,
        JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as unknown,
      ]),
    );
    expect(files).toEqual(new Map(JSON.parse(JSON.stringify([...schemas])) as [string, unknown][]));
  });

  test('take every file that the writer makes', async () => {
    const ajv = new Ajv2020();
    const site = sampleSite();
    for (const packing of Object.values(samplePackings(site)))
      for (const [path, bytes] of await packed(site, packing)) {
        const kind = PACKAGE_FILES[path.replace(/\/\d+\//, '/<number>/')];
        if (kind?.is !== 'json' && kind?.is !== 'lines') continue;
        const name = path
          .replace(/^data\//, '')
          .replace(/\/\d+\//, '/')
          .replace(/\.(nd)?json$/, '');
        const schema = schemas.get(`${name.replaceAll('/', '-')}.schema.json`) ?? {};
        const text = Buffer.from(bytes).toString();
        for (const line of kind.is === 'json' ? [text] : text.split('\n').slice(0, -1)) {
          const isValid = ajv.validate(schema, JSON.parse(line));
          expect([path, isValid, ajv.errorsText()]).toEqual([path, true, 'No errors']);
        }
      }
  });
});
