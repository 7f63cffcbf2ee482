import { type ReactNode, useMemo } from 'react';
import { notify } from '../../controls/notices.js';
import { useKeys } from '../../keys/keys.js';
import { useWords } from '../../words/words.js';
import { Bets } from './bets.js';
import { faultIn, stepOf } from './fault.js';
import { Felt } from './felt.js';
import { usePlayback } from './playback.js';
import { Why } from './why.js';
import type { Coup, Whole } from './whole.js';

interface Props {
  readonly coup: Coup;
  /** The finding that the screen is about. Without it, the first fault of any is marked. */
  readonly finding?: Whole['finding'] | undefined;
  /** The number of cards that lie on the table; undefined is all. */
  readonly step: number | undefined;
  readonly onStep: (step: number) => void;
  readonly children?: ReactNode;
}

/** A coup card by card: how it lay, what was due and why, and its bets. */
export function CoupView({ coup, finding, step, onStep, children }: Props): ReactNode {
  const times = useMemo(() => coup.steps.map(({ ms }) => ms), [coup.steps]);
  const all = times.length;
  const shown = step === undefined ? all : Math.max(0, Math.min(all, step));
  const playback = usePlayback(times, shown, onStep);
  const fault = faultIn(coup, finding?.id);
  const faulty = stepOf(coup, fault);
  useCoupKeys({ playback, faulty });
  return (
    <div className="finding-columns">
      <div className="finding-column">
        <Felt
          {...{ coup, playback, faulty }}
          missing={fault?.is === 'missing' ? fault.hand : undefined}
        />
        <Bets coup={coup} about={finding} />
      </div>
      <div className="finding-column">
        <Why {...{ coup, playback, faulty }} />
        {children}
      </div>
    </div>
  );
}

interface KeysOf {
  readonly playback: ReturnType<typeof usePlayback>;
  readonly faulty: number;
}

function useCoupKeys({ playback, faulty }: KeysOf): void {
  const words = useWords();
  const { step, steps, show, togglePlay } = playback;
  useKeys({
    ArrowLeft: { means: 'finding.back', run: () => show(step - 1) },
    ArrowRight: { means: 'finding.forward', run: () => show(step + 1) },
    Home: { means: 'finding.first', run: () => show(0) },
    End: { means: 'finding.last', run: () => show(steps) },
    ' ': { means: 'finding.play', run: togglePlay },
    f: {
      means: 'finding.toFault',
      run: () => {
        if (faulty >= 0) return show(faulty + 1);
        const line = document.querySelector('.bets [data-faulty]');
        line?.scrollIntoView({ block: 'center' });
        if (!line) notify({ text: words('finding.noFaultyCard') });
      },
    },
  });
}
