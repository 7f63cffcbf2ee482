import { isCard } from '#baccarat';
import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { nameOfCard, PlayingCard } from '../../game/card.js';
import { useFormats } from '../../words/formats.js';
import { useWords, type Words } from '../../words/words.js';
import { codesAt } from './fault.js';
import { placeOf, sideOf } from './felt.js';
import type { Playback } from './playback.js';
import { Said } from '../said.js';
import type { Coup, Step } from './whole.js';

interface Props {
  readonly coup: Coup;
  readonly playback: Playback;
  readonly faulty: number;
}

type Due = Step['due'][number];
type Cell = NonNullable<Step['cell']>;

/** The cards in the order drawn: for each what was due, and the cell of the table that says so. */
export function Why({ coup, playback, faulty }: Props): ReactNode {
  const words = useWords();
  if (coup.steps.length === 0) return null;
  return (
    <section className="panel why" aria-labelledby="why">
      <h2 id="why">{words('finding.why')}</h2>
      <ol>
        {coup.steps.map((step, index) => (
          <li key={step.ref}>
            <WhyStep {...{ coup, step, index, playback }} isFaulty={index === faulty} />
          </li>
        ))}
        <WhyThen coup={coup} isFaulty={faulty === coup.steps.length} />
      </ol>
    </section>
  );
}

/** What was due after the last card: also the card that is missing. */
function WhyThen({ coup, isFaulty }: Pick<StepProps, 'coup' | 'isFaulty'>): ReactNode {
  const words = useWords();
  const codes = codesAt(coup, coup.steps.length);
  return (
    <li className="why-then" data-faulty={isFaulty || undefined}>
      <span className="why-what">
        <span className={isFaulty ? 'why-due' : undefined}>
          <span className="muted">{words('finding.then')}</span> {dueIn(words, coup.then)}
        </span>
        {coup.thenCell && <CellLine cell={coup.thenCell} />}
      </span>
      {codes.length > 0 && (
        <strong className="why-mark">
          ✗ {words('finding.missingCard')} {codes.join(' ')}
        </strong>
      )}
    </li>
  );
}

interface StepProps extends Omit<Props, 'faulty'> {
  readonly step: Step;
  readonly index: number;
  readonly isFaulty: boolean;
}

function WhyStep({ coup, step, index, playback, isFaulty }: StepProps): ReactNode {
  const card = isCard(step.card) ? step.card : null;
  const codes = codesAt(coup, index);
  return (
    <AriaButton
      className="why-step"
      data-faulty={isFaulty || undefined}
      data-current={index === playback.step - 1 || undefined}
      aria-current={index === playback.step - 1 && 'step'}
      onPress={() => playback.show(index + 1)}
    >
      <span className="why-number">{index + 1}</span>
      <PlayingCard card={card} width={24} />
      <WhatCame {...{ step, isFaulty }} />
      <span className="why-mark">
        {codes.length > 0 ? (
          <strong>✗ {codes.join(' ')}</strong>
        ) : (
          <span aria-hidden="true">{step.findings && '✓'}</span>
        )}
      </span>
    </AriaButton>
  );
}

/** Where a card went and what its hand counted then, and what was due instead or as well. */
function WhatCame({ step, isFaulty }: Pick<StepProps, 'step' | 'isFaulty'>): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const card = isCard(step.card) ? step.card : null;
  return (
    <span className="why-what">
      <span>
        <span className="only-spoken">{nameOfCard(words, card)} </span>
        {placeOf(words, step.to)}
        {step.total !== null && (
          <>
            {' → '}
            <strong>{step.total}</strong>
          </>
        )}
        {step.ms !== null && <span className="muted"> {formats.clock(step.ms, true)}</span>}
      </span>
      <span className={isFaulty ? 'why-due' : 'muted'}>
        {words('finding.wasDue', { due: dueIn(words, step.due) })}
      </span>
      {step.cell && <CellLine cell={step.cell} />}
    </span>
  );
}

/** Returns what the rules required: one thing, or several where a card was not read. */
const dueIn = (words: Words, due: readonly Due[]): string =>
  due.length === 0
    ? words('finding.unknown')
    : due.map((each) => oneDueIn(words, each)).join(` ${words('finding.or')} `);

function oneDueIn(words: Words, due: Due): string {
  if (due.step === 'outcome')
    return words('finding.due.outcome', { outcome: sideOf(words, due.outcome) });
  const side = words(`side.${due.to}`);
  return words(due.optional ? 'finding.due.optional' : 'finding.due.card', { side });
}

function CellLine({ cell }: { readonly cell: Cell }): ReactNode {
  const words = useWords();
  const says = words(`finding.says.${cell.says}`);
  const column = String(cell.column);
  const text =
    cell.row === null
      ? words('finding.cell.player', { column, says })
      : cell.column === 'stood'
        ? words('finding.cell.stood', { row: cell.row, says })
        : words('finding.cell.banker', { row: cell.row, column, says });
  return (
    <>
      <span>{text}</span>
      {cell.source && (
        <span className="muted why-source" lang="en">
          <Said>{[cell.source.title, cell.source.section, cell.source.edition].join(', ')}</Said>
          {cell.source.provisional && ` (${words('finding.provisional')})`}
        </span>
      )}
    </>
  );
}
