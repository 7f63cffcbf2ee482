export { Environment, SettingsRefused, type Variables } from './environment.js';
export { houseSettings, type HouseSettings } from './house-settings.js';
export { storeSettings, type StoreSettings } from './store-settings.js';
export { settingsText } from './settings-text.js';
export { listening } from './listening.js';
