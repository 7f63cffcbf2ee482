import type { ReactNode } from 'react';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { Said, VideoLink } from './said.js';
import type { Whole } from './coup/whole.js';

interface Props {
  readonly video: Whole['video'];
  /** The buttons for the commands on video. */
  readonly children?: ReactNode;
}

/** The video of a finding: its link, which part of it, how long it is kept, and requests to keep it. */
export function Video({ video, children }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { link, from, to, keptUntil, daysLeft, holds } = video;
  return (
    <section className="panel">
      <h2>{words('finding.video')}</h2>
      <dl className="finding-facts">
        <dt>{words('finding.videoLink')}</dt>
        <dd>{link === null ? words('finding.noVideo') : <VideoLink>{link}</VideoLink>}</dd>
        <dt>{words('finding.videoPart')}</dt>
        <dd>
          {formats.dateTime(from)} – {formats.time(to)}
        </dd>
        <dt>{words('finding.videoKept')}</dt>
        <dd data-expiring={daysLeft <= 1 || undefined}>
          {formats.dateTime(keptUntil)} · {words('finding.daysLeft', { days: daysLeft })}
        </dd>
        {holds.map(({ ref, by, at, type, data }) => (
          <HoldLine key={ref} {...{ by, at, type }} until={data['until']} />
        ))}
      </dl>
      <p className="actions no-print">{children}</p>
    </section>
  );
}

type Hold = Pick<Whole['video']['holds'][number], 'by' | 'at' | 'type'>;

function HoldLine({ by, at, type, until }: Hold & { readonly until: unknown }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <>
      <dt>{words(`did.${type}`)}</dt>
      <dd>
        <Said>{by}</Said> · {formats.dateTime(at)}
        {typeof until === 'string' && ` · ${words('field.until')} ${formats.dateTime(until)}`}
      </dd>
    </>
  );
}
