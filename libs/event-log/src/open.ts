import { KafkaLog } from './kafka/kafka-log.js';
import type { EventLog } from './port.js';
import { PostgresLog } from './postgres/postgres-log.js';
import type { LogSettings } from './settings.js';

/**
 * Opens the log that the settings name; creates it if it is missing. `onNotice` receives each
 * notice for an operator as a sentence. Throws if the log cannot be reached or does not match the
 * settings.
 */
export async function openLog(
  settings: LogSettings,
  onNotice?: (text: string) => void,
): Promise<EventLog> {
  switch (settings.kind) {
    case 'postgres':
      return PostgresLog.open({ ...settings, ...(onNotice && { onNotice }) });
    case 'kafka':
      return KafkaLog.open({ ...settings, ...(onNotice && { onNotice }) });
  }
}
