export {
  hexOf,
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
