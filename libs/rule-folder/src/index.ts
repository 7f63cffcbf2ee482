export { installedRules, readJson, rulesNamed } from './installed-rules.js';
