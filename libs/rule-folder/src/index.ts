export { installedRules, packageFolder, readJson, rulesNamed } from './installed-rules.js';
export { fileRefusal, Refusal } from './refusal.js';
