export { Environment, SettingsRefused, type Variables } from './environment.js';
export { packageFolder } from './package-folder.js';
export { fileRefusal, Refusal } from './refusal.js';
export { settingsText } from './settings-text.js';
