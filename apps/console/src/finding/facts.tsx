import type { ReactNode } from 'react';
import { useFormats } from '../words/formats.js';
import { useWords, type Words } from '../words/words.js';
import { Said } from './said.js';
import type { Coup, Whole } from './coup/whole.js';

/** Who was there, what recorded it, how often it was seen before, and who looked at it. */
export function Facts({ whole }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { finding, coup, device, looks } = whole;
  return (
    <section className="panel">
      <h2>{words('finding.facts')}</h2>
      <dl className="finding-facts">
        <People dealer={finding.dealer} callers={coup?.callers ?? []} />
        <dt>{words('finding.device')}</dt>
        <dd>{device ? <Device device={device} /> : words('finding.noDevice')}</dd>
        <dt>{words('finding.seenBefore')}</dt>
        <dd>
          <SeenBefore whole={whole} />
        </dd>
        <dt>{words('finding.looks')}</dt>
        <dd>
          {words('finding.seenBy', { people: looks.people, looks: looks.looks })}
          {looks.by?.map(({ person, looks: times, last }) => (
            <div key={person}>
              <Said>{person}</Said> {times}× · {formats.dateTime(last)}
            </div>
          ))}
        </dd>
        <dt>{words('finding.references')}</dt>
        <dd>
          {finding.events.map((ref) => (
            <div key={ref}>
              <Said>{ref}</Said>
            </div>
          ))}
        </dd>
      </dl>
    </section>
  );
}

function SeenBefore({ whole: { finding, seenBefore } }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  return (
    <>
      {seenBefore.dealer && finding.dealer !== null && (
        <div>
          <Said>{finding.dealer}</Said>: {words('finding.seen', { ...seenBefore.dealer })}
        </div>
      )}
      <div>
        <Said>{finding.table}</Said>: {words('finding.seen', { ...seenBefore.table })}
      </div>
    </>
  );
}

/** Dealer and callers of a coup. */
export function People({
  dealer,
  callers,
}: {
  readonly dealer: string | null;
  readonly callers: Coup['callers'];
}): ReactNode {
  const words = useWords();
  return (
    <>
      <dt>{words('finding.dealer')}</dt>
      <dd>{dealer === null ? words('finding.nobody') : <Said>{dealer}</Said>}</dd>
      <dt>{words('finding.callers')}</dt>
      <dd>
        {callers.length === 0
          ? words('finding.nobody')
          : callers.map((caller) => (
              <div key={caller}>
                <Said>{caller}</Said>
              </div>
            ))}
      </dd>
    </>
  );
}

function Device({ device }: { readonly device: NonNullable<Whole['device']> }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <>
      <div>
        <Said>{device.source}</Said>
        {device.online !== null && (
          <> · {words(device.online ? 'finding.online' : 'finding.offline')}</>
        )}
      </div>
      <div className="muted">
        {words('finding.clockOffset', { offset: offsetIn(words, device.clockOffsetLast) })}
        {device.lastReceived !== null &&
          ` · ${words('finding.lastHeard', { time: formats.dateTime(device.lastReceived) })}`}
      </div>
    </>
  );
}

const HOUR_MS = 3_600_000;

/** Returns how far a clock is off, in words: `+0.21 s`, or in hours. Takes milliseconds. */
function offsetIn(words: Words, ms: number | null): string {
  if (ms === null) return words('finding.unknown');
  const sign = ms < 0 ? '−' : '+';
  const size = Math.abs(ms);
  return size < HOUR_MS
    ? words('finding.seconds', { sign, seconds: size / 1_000 })
    : words('finding.hours', { sign, hours: size / HOUR_MS });
}
