export { type ConnectionOptions, connectionOptions, newClient } from './connection-options.js';
export { ServerSilent } from './bounded-client.js';
