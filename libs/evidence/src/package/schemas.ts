import { PACKAGE_FILES } from './files.js';
import { schemaOf, type JsonSchema } from './forms.js';

/**
 * Returns the JSON Schemas of the JSON files of a package by their own names, such as
 * `site-leaves.schema.json`. That of a file of lines is the schema of one line.
 */
export function packageSchemas(): ReadonlyMap<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const [path, kind] of Object.entries(PACKAGE_FILES)) {
    if (kind.is !== 'json' && kind.is !== 'lines') continue;
    const parts = path.replace(/\.(?:json|ndjson)$/, '').split('/');
    const name = parts.filter((part) => part !== 'data' && part !== '<number>').join('-');
    schemas.set(`${name}.schema.json`, {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: kind.is === 'json' ? path : `a line of ${path}`,
      ...schemaOf(kind.form),
    });
  }
  return schemas;
}
