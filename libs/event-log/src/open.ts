import { KafkaLog } from './kafka/kafka-log.js';
import type { EventLog } from './port.js';
import { PostgresLog } from './postgres/postgres-log.js';
import type { LogSettings } from './settings.js';

/**
 * Opens the log that the settings name, and makes it where it is not there. `onNotice` is told in a sentence what an operator
 * should know. Throws where the log cannot be reached, or is another than the settings say.
 */
export async function openLog(
  settings: LogSettings,
  onNotice?: (text: string) => void,
): Promise<EventLog> {
  switch (settings.kind) {
    case 'postgres':
      return PostgresLog.open({ ...settings, onNotice });
    case 'kafka':
      return KafkaLog.open({ ...settings, onNotice: onNotice ?? settings.onNotice });
  }
}
