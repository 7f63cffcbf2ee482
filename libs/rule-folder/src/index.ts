export { installedRules, policyNamed, readJson, rulesNamed } from './installed-rules.js';
