import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answers } from '../../api/client.js';
import { Button } from '../../controls/button.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { FormError } from '../form-error.js';
import { deliveriesQuery } from './key-queries.js';

/** What each key delivered, with the faults that were found in it. */
export function DeliveriesPanel(): ReactNode {
  const words = useWords();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(deliveriesQuery);
  const lines = data?.pages.flatMap((page) => page.lines);
  return (
    <section aria-labelledby="device-deliveries">
      <div className="people-head people-section">
        <h2 id="device-deliveries">{words('devices.deliveries')}</h2>
      </div>
      {!data && !error && <p role="status">{words('shell.loading')}</p>}
      <FormError error={error ?? undefined} />
      {lines?.length === 0 && <p>{words('devices.noDeliveries')}</p>}
      {lines && lines.length > 0 && <Deliveries lines={lines} />}
      {hasNextPage && (
        <Button onPress={() => void fetchNextPage()} isPending={isFetchingNextPage}>
          {words('devices.moreDeliveries')}
        </Button>
      )}
    </section>
  );
}

const COUNTS = [
  { of: 'tables', name: 'devices.atTables' },
  { of: 'events', name: 'devices.events' },
  { of: 'duplicates', name: 'devices.duplicates' },
  { of: 'unread', name: 'devices.unread' },
  { of: 'gaps', name: 'devices.gaps' },
] as const;

function Deliveries({ lines }: { lines: readonly Answers['DeliveryAnswer'][] }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <div
      className="scroll people-scroll"
      tabIndex={0}
      role="region"
      aria-label={words('devices.deliveries')}
    >
      <table className="people-table">
        <thead>
          <tr>
            <th scope="col">{words('devices.key')}</th>
            <th scope="col">{words('devices.last')}</th>
            {COUNTS.map(({ of, name }) => (
              <th key={of} scope="col" className="numeric">
                {words(name)}
              </th>
            ))}
            <th scope="col">{words('devices.faults')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.key}>
              <th scope="row">{line.key}</th>
              <td>{line.lastReceived === null ? '–' : formats.dateTime(line.lastReceived)}</td>
              {COUNTS.map(({ of }) => (
                <td key={of} className="numeric">
                  {formats.number(line[of])}
                </td>
              ))}
              <td className="long">
                <Faults faults={line.faults} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Faults({ faults }: { faults: Answers['DeliveryAnswer']['faults'] }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  if (faults.length === 0) return <span className="muted">{words('devices.noFaults')}</span>;
  return faults.map(({ code, count }) => (
    <span key={code} className="people-fault">
      {words('devices.fault', {
        code,
        title: words(`${code}.title`),
        count: formats.number(count),
      })}
    </span>
  ));
}
