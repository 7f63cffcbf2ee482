export { configurationProblems } from './configuration/check.js';
export { gatewayName, type GatewayConfiguration } from './configuration/configuration.js';
export { CONFIGURATION_FORM } from './configuration/configuration-form.js';
export {
  ConfigurationRefused,
  readConfiguration,
  type ReadConfiguration,
} from './configuration/read.js';
export { TableDesk, type DeskSurroundings } from './desk/desk.js';
export { decoderOf, DeskRecord, NEW_DESK, type DeskState } from './desk/record.js';
export { WallClock, type Clocks } from './running/wall-clock.js';
export { DeskOwner } from './running/desk-owner.js';
export { TableGateway } from './running/table-gateway.js';
