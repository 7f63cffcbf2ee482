import type { ReactNode } from 'react';
import { useMay } from '../../app/session/me.js';
import { useTitle } from '../../app/title.js';
import { useWords } from '../../words/words.js';
import { DeliveriesPanel } from './deliveries-panel.js';
import { KeysTable } from './keys-table.js';
import { ParkedPanel } from './parked-panel.js';
import '../people.css';

/** The keys of devices, what they delivered, and the tables that wait for a decision. */
export function DevicesScreen(): ReactNode {
  const words = useWords();
  const mayReadDeliveries = useMay('read-deliveries');
  const mayReadParked = useMay('read-parked');
  useTitle(words('shell.devices'));
  return (
    <>
      <h1>{words('shell.devices')}</h1>
      {mayReadParked && <ParkedPanel />}
      <KeysTable />
      {mayReadDeliveries && <DeliveriesPanel />}
    </>
  );
}
