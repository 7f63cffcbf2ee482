import { reportFrame, type BccReading } from './frames.js';
import { encodeReport, type AngelEyeReport } from './reports.js';

/** Returns the frame of a report under a sequence character, as the shoe sends it. */
export function encodeAngelEye(
  report: AngelEyeReport,
  { sequence, bcc }: { readonly sequence: string; readonly bcc: BccReading },
): Uint8Array {
  const [letter, payload] = encodeReport(report);
  return reportFrame([sequence.charCodeAt(0), letter.charCodeAt(0), ...payload], bcc);
}
