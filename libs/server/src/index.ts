export { houseSettings, type HouseSettings } from './house-settings.js';
export { listening } from './listening.js';
export { logPartitions, storeSettings, type StoreSettings } from './store-settings.js';
