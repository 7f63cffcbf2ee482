export { houseSettings, type HouseSettings } from './house-settings.js';
export { listening } from './listening.js';
export { storeSettings, type StoreSettings } from './store-settings.js';
