export { type ConnectionOptions, connectionOptions, newClient } from './connection-options.js';
