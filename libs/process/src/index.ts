export { asError } from './as-error.js';
export { Environment, SettingsRefused, type Variables } from './environment.js';
export { appVersion, packageFolder } from './package-folder.js';
export { fileRefusal, Refusal } from './refusal.js';
export { runChild } from './run-child.js';
export { settingsText } from './settings-text.js';
export { STOP_REQUESTS, stopRequest } from './stop-request.js';
export { TimedOut, within } from './time-limit.js';
export { excerpt, UNSEEN, visible, visibleAll } from './visible-text.js';
