import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMe } from '../app/session/me.js';
import { Button } from '../controls/button.js';
import { recordQuery } from '../finding/record.js';
import { Said } from '../finding/said.js';
import type { Whole } from '../finding/coup/whole.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';

interface Props {
  readonly whole: Whole;
}

/** Says what another person did while the screen was open, until it was seen. */
export function Meanwhile({ whole: { history } }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { person } = useMe();
  const newest = history[0]?.ref;
  const [seen, setSeen] = useState(newest);
  const at = seen === undefined ? -1 : history.findIndex(({ ref }) => ref === seen);
  const fresh = at === -1 && seen !== undefined ? [] : history.slice(0, at === -1 ? undefined : at);
  const act = fresh.find(({ by, outcome }) => by !== person && outcome === 'taken');
  return (
    <div role="status">
      {act && (
        <p className="ruling-news">
          <Said>
            {words('review.meanwhile', {
              person: act.by,
              did: words(`did.${act.type}`),
              time: formats.time(act.at),
            })}
          </Said>{' '}
          <Button onPress={() => setSeen(newest)}>{words('review.seen')}</Button>
        </p>
      )}
    </div>
  );
}

/** Says that a proposal has fallen, and which events of the game did it. */
export function Fallen({ whole: { finding, review, history } }: Props): ReactNode {
  const words = useWords();
  const proposal = history.find(
    ({ type, outcome }) => type === 'finding-ruling-proposed' && outcome === 'taken',
  );
  const { withdrawnBecause } = finding;
  const { data: lines = [] } = useQuery({
    ...recordQuery(finding.id, review.evidence, proposal?.ref),
    enabled: proposal !== undefined && withdrawnBecause === null,
  });
  return (
    <div role="status" className="ruling-news" data-grave>
      <p>
        <strong>{words('review.fallen')}</strong>{' '}
        {withdrawnBecause !== null && (
          <>
            {words('finding.withdrawnBy')} <Said>{withdrawnBecause}</Said>
          </>
        )}
      </p>
      {lines.length > 0 && (
        <div>
          <p>{words('review.fallenBy')}</p>
          <div
            className="ruling-causes"
            role="region"
            aria-label={words('review.fallenBy')}
            tabIndex={0}
          >
            <ul>
              {lines.map((line) => (
                <Cause key={line} event={JSON.parse(line) as CauseEvent} />
              ))}
            </ul>
          </div>
        </div>
      )}
    </div>
  );
}

/** What is shown of an event that changed the evidence. */
interface CauseEvent {
  readonly type: string;
  readonly source: string;
  readonly time: string;
  readonly data?: { readonly by?: unknown; readonly reason?: unknown };
}

/** An event after the proposal: what it was, who says so, when and why. */
function Cause({ event: { type, source, time, data = {} } }: { readonly event: CauseEvent }) {
  const words = useWords();
  const formats = useFormats();
  const { by, reason } = data;
  return (
    <li>
      <code>{type.replace(/^shoeprint\.|\.v\d+$/g, '')}</code> ·{' '}
      <Said>{typeof by === 'string' ? by : source}</Said> ·{' '}
      <time dateTime={time}>{formats.dateTime(time)}</time>
      {typeof reason === 'string' && (
        <>
          {' · '}
          <Said>{words('review.reasonOf', { reason })}</Said>
        </>
      )}
    </li>
  );
}
