export { houseSettings, UTC_DAYS, type HouseSettings } from './house-settings.js';
export { isLoopback, listening } from './listening.js';
export { logLevelSettings, type LogLevelSettings } from './log-level-settings.js';
export { hasMetricsToken, pageSettings, type PageSettings } from './page-settings.js';
export { openServerLog, whileStarting } from './starting.js';
export { processRegistry } from './process-registry.js';
export { runProgram, runServer, StartAgain, type Running } from './run.js';
export { jsonLogger, ServerLogger } from './server-logger.js';
export { logPartitions, storeSettings, type StoreSettings } from './store-settings.js';
