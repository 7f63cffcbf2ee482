import type { ReactNode } from 'react';
import { useMe } from '../../app/session/me.js';
import type { Policy } from '../../review/policy.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { isOverdue, videoEnd } from '../filter/filter.js';
import type { Row } from './rows.js';
import { shown } from '../../words/shown.js';

interface Props {
  readonly row: Row;
  /** The present time, in ms since 1970. */
  readonly now: number;
  /** The review policy in force, once it has been read. */
  readonly policy: Policy | undefined;
}

/** What a person must know of a finding before opening it: who holds it, and what is urgent. */
export function Marks({ row, now, policy }: Props): ReactNode {
  const words = useWords();
  const { state, regressed, touched, lapsed, escalated } = row.review;
  const flags = (['regressed', 'touched', 'lapsed'] as const).filter(
    (flag) => ({ regressed, touched, lapsed })[flag],
  );
  const late = isOverdue(row, policy?.due, now);
  return (
    <>
      {row.status === 'withdrawn' && <span className="queue-mark">{words('queue.withdrawn')}</span>}
      {state !== 'open' && (
        <span className="queue-mark" data-state={state}>
          <span aria-hidden>{state === 'ruled' ? '✓' : '✎'}</span> {words(`review.state.${state}`)}
        </span>
      )}
      <Claim row={row} now={now} />
      {late && (
        <span className="queue-mark" data-grave>
          <span aria-hidden>⚠</span> {words('queue.overdue')}
        </span>
      )}
      {escalated !== null && (
        <span className="queue-mark">
          {words('review.flag.escalated', { role: words(`role.${escalated}`) })}
        </span>
      )}
      {flags.map((flag) => (
        <span key={flag} className="queue-mark">
          {words(`review.flag.${flag}`)}
        </span>
      ))}
      <Video row={row} now={now} policy={policy} />
    </>
  );
}

/** Who holds it. A claim that ran out still counts until another person claims the finding. */
function Claim({ row, now }: Pick<Props, 'row' | 'now'>): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { person } = useMe();
  const { claim } = row.review;
  if (!claim) return null;
  const isOver = Date.parse(claim.until) < now;
  if (isOver && claim.by !== person) return null;
  return (
    <span className="queue-mark" data-claim={claim.by === person ? 'mine' : 'other'}>
      <span aria-hidden>{claim.by === person ? '◉' : '●'}</span>{' '}
      {claim.by === person ? words('queue.you') : <bdi>{shown(claim.by)}</bdi>}{' '}
      {!isOver && <span className="muted">{formats.time(claim.until).replace(SECONDS, '')}</span>}
    </span>
  );
}

const SECONDS = /:\d\d(?=\D*$)/;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How long the video is kept: by the house, or for longer because somebody held it. */
function Video({ row, now, policy }: Props): ReactNode {
  const words = useWords();
  if (policy === undefined || row.review.state === 'ruled') return null;
  const left = videoEnd(row, policy.video) - now;
  if (left <= 0) return <span className="queue-mark muted">{words('queue.videoOver')}</span>;
  const isShort = left < DAY_MS;
  return (
    <span className="queue-mark muted" data-grave={isShort || undefined}>
      {isShort
        ? words('queue.videoHours', { hours: Math.floor(left / HOUR_MS) })
        : words('queue.videoDays', { days: Math.floor(left / DAY_MS) })}
    </span>
  );
}
