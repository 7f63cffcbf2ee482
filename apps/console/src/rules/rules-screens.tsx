export { DifferenceScreen } from './difference.js';
export { PolicyScreen } from './policy.js';
export { RuleDocumentScreen } from './rule-document.js';
export { RulesScreen } from './rule-list.js';
