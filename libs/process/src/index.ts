export { asError } from './as-error.js';
export { Environment, SettingsRefused, type Variables } from './environment.js';
export { packageFolder } from './package-folder.js';
export { fileRefusal, Refusal } from './refusal.js';
export { settingsText } from './settings-text.js';
export { TimedOut, within } from './time-limit.js';
