export { ShoeScreen } from './shoe-screen.js';
export { TableScreen } from './table-screen.js';
export { TablesScreen } from './tables-screen.js';
