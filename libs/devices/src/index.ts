export {
  type Feed,
  type FrameDecoder,
  type LostBecause,
  type Observation,
  type ObservationFields,
  type ObservationKind,
  type Reported,
  type ReportedEvent,
} from './observation.js';
export {
  angelEye,
  SEQUENCE_UNKNOWN,
  type AngelEyeSettings,
  type AngelEyeState,
} from './angel-eye/decoder.js';
export { encodeAngelEye } from './angel-eye/encoder.js';
export { BCC_READINGS, FRAME_BYTES_MAX, type BccReading } from './angel-eye/frames.js';
export type { AngelEyeReport } from './angel-eye/reports.js';
export { line1Gateway, type Line1Gateway, type Line1GatewayTurn } from './line-1/gateway.js';
export type { Line1GatewayState, Line1Settings } from './line-1/gateway-work.js';
export {
  feedDevice,
  powerUp,
  recordEvent,
  type Line1DeviceMemory,
  type Line1DeviceState,
  type Line1DeviceTurn,
  type PowerUp,
} from './line-1/device.js';
export {
  encodeLine1,
  LINE1_BYTES_MAX,
  parseLine,
  type Line1,
  type ParsedLine,
} from './line-1/line.js';
export { asciiBytes, NO_LINE, readLines, type ReadLine } from './line-1/line-reader.js';
export { remember, rememberKept, type Line1Memory } from './line-1/memory.js';
export {
  EMULATED_PROTOCOLS,
  EmulatorRefusal,
  type EmulatedProtocol,
  type EmulatorStep,
  type ScheduledStep,
  type WireFault,
} from './emulator/step.js';
export { EMULATOR_FAULTS, readFaults } from './emulator/faults.js';
export type { RecordedEvent } from './emulator/recorded.js';
export { scheduleOf, type Schedule } from './emulator/schedule.js';
export { emulatedDevice, type EmulatedDevice } from './emulator/emulated-device.js';
export { EMULATED_SEQUENCE } from './emulator/emulated-angel-eye.js';
export { expectedOf, type ExpectedEvent } from './emulator/expected.js';
export type { SentBytes } from './emulator/wire.js';
