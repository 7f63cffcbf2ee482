// Writes the published schemas of rule documents and charts from the forms that the linter uses.
// Needs a build.
//   node scripts/rules-schemas.mjs
import { writeFileSync } from 'node:fs';
import { CHART_FORM, RULE_DOCUMENT_FORM } from '#baccarat';

writeFileSync(
  'rules/rule-document.schema.json',
  `${JSON.stringify(RULE_DOCUMENT_FORM, null, 2)}\n`,
);
writeFileSync('rules/chart.schema.json', `${JSON.stringify(CHART_FORM, null, 2)}\n`);
