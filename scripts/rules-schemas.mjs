// Writes the published schemas of rule documents, charts and review policies from the forms that
// the linters use. Needs a build.
//   node scripts/rules-schemas.mjs
import { writeFileSync } from 'node:fs';
import { POLICY_FORM } from '#audit';
import { CHART_FORM, RULE_DOCUMENT_FORM } from '#baccarat';

const SCHEMAS = {
  'rules/rule-document.schema.json': RULE_DOCUMENT_FORM,
  'rules/chart.schema.json': CHART_FORM,
  'rules/policies/policy.schema.json': POLICY_FORM,
};

for (const [file, form] of Object.entries(SCHEMAS))
  writeFileSync(file, `${JSON.stringify(form, null, 2)}\n`);
