import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMe } from '../app/me.js';
import { Button } from '../controls/button.js';
import { recordQuery } from '../finding/record.js';
import { Said } from '../finding/said.js';
import type { Whole } from '../finding/whole.js';
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

/** Says that a proposal has fallen, and which event of the game did it. */
export function Fallen({ whole: { finding, review } }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { data: lines } = useQuery(recordQuery(finding.id, review.evidence));
  const { withdrawnBecause } = finding;
  const last = withdrawnBecause === null ? lastEvent(lines) : undefined;
  return (
    <div role="status" className="ruling-news" data-grave>
      <p>
        <strong>{words('review.fallen')}</strong>{' '}
        {withdrawnBecause !== null && (
          <>
            {words('finding.withdrawnBy')} <Said>{withdrawnBecause}</Said>
          </>
        )}
        {last && (
          <Said>
            {words('review.fallenBy', { type: last.type, time: formats.dateTime(last.time) })}
          </Said>
        )}{' '}
        {last?.reason !== undefined && (
          <Said>{words('review.reasonOf', { reason: last.reason })}</Said>
        )}
      </p>
    </div>
  );
}

interface LastEvent {
  readonly type: string;
  readonly time: string;
  readonly reason: string | undefined;
}

/** Returns the last event of the evidence: what changed it comes after what it was made of. */
function lastEvent(lines: readonly string[] | undefined): LastEvent | undefined {
  const line = lines?.at(-1);
  if (line === undefined) return undefined;
  const { type, time, data } = JSON.parse(line) as {
    type: string;
    time: string;
    data?: { reason?: string };
  };
  return { type: type.replace(/^shoeprint\.|\.v\d+$/g, ''), time, reason: data?.reason };
}
