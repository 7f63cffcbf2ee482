import type { ReactNode } from 'react';
import { betIn } from '../../game/bet-names.js';
import { useFormats } from '../../words/formats.js';
import { type Key, useWords, type Words } from '../../words/words.js';
import { differenceOf } from './difference.js';
import type { Coup, Whole } from './whole.js';

type Bet = Coup['bets'][number];
/** What of a finding marks a line: its code, its seat and its bet. */
type About = Pick<Whole['finding'], 'code' | 'seat' | 'bet'>;
/** The codes about the commission of a seat in a coup. */
const OF_COMMISSION: readonly About['code'][] = ['CM-01', 'CM-02', 'CM-03', 'CM-04'];

interface Props {
  readonly coup: Coup;
  readonly about?: About | undefined;
}

/** The bets by seat: what was due, what was done, and the difference; then the commission. */
export function Bets({ coup, about }: Props): ReactNode {
  const words = useWords();
  const title = words('finding.bets');
  if (coup.bets.length === 0)
    return (
      <section className="panel">
        <h2>{title}</h2>
        <p className="muted">{words('finding.noBets')}</p>
      </section>
    );
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="scroll" role="region" aria-label={title} tabIndex={0}>
        <table className="bets">
          <Heads names={['seat', 'bet', 'stake', 'due', 'done', 'difference']} />
          <tbody>
            {coup.bets.map((bet) => (
              <BetLine
                key={`${bet.seat} ${bet.bet}`}
                bet={bet}
                currency={coup.currency}
                isFaulty={bet.seat === about?.seat && (!about.bet || about.bet === bet.bet)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Commission coup={coup} about={about} />
    </section>
  );
}

const HEADS = {
  seat: 'finding.seat',
  bet: 'finding.bet',
  stake: 'finding.stake',
  due: 'finding.due',
  done: 'finding.done',
  commissionTaken: 'finding.commissionTaken',
  commissionMarked: 'finding.commissionMarked',
  difference: 'finding.difference',
} as const satisfies Readonly<Record<string, Key>>;

function Heads({ names }: { readonly names: readonly (keyof typeof HEADS)[] }): ReactNode {
  const words = useWords();
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col" className={name === 'bet' ? undefined : 'numeric'}>
            {words(HEADS[name])}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface LineProps {
  readonly bet: Bet;
  readonly currency: string;
  readonly isFaulty: boolean;
}

function BetLine({ bet, currency, isFaulty }: LineProps): ReactNode {
  const words = useWords();
  const { money, signedMoney } = useFormats();
  const { seat, stands, late, lawful, settled } = bet;
  const difference = differenceOf(bet);
  return (
    <tr data-faulty={isFaulty || undefined}>
      <Seat {...{ seat, isFaulty }} />
      <td>{betIn(words, bet.bet)}</td>
      <td className="numeric">
        {money(stands, currency)}
        {late > 0 && (
          <div className="bets-late">
            {words('finding.late', { amount: money(late, currency) })}
          </div>
        )}
      </td>
      <td className="numeric">
        {lawful ? paidIn(words, money, lawful, currency) : words('finding.unknown')}
      </td>
      <td className="numeric">
        {settled ? paidIn(words, money, settled, currency) : words('finding.notSettled')}
      </td>
      <td className="numeric" data-differs={difference ? true : undefined}>
        {difference === null ? '–' : signedMoney(difference, currency)}
      </td>
    </tr>
  );
}

/** The seat of a line, and that the finding is about the line. */
function Seat({ seat, isFaulty }: Pick<LineProps, 'isFaulty'> & { readonly seat: number }) {
  const words = useWords();
  return (
    <td className="numeric">
      {isFaulty && (
        <strong className="bets-here">
          ▲<span className="only-spoken"> {words('finding.here')}</span>
        </strong>
      )}
      {seat}
    </td>
  );
}

type Paid = Pick<NonNullable<Bet['lawful']>, 'stake' | 'paid'>;

const paidIn = (
  words: Words,
  money: (minor: number, currency: string) => string,
  { stake, paid }: Paid,
  currency: string,
): string =>
  paid === 0
    ? words(stake === 'taken' ? 'finding.stakeTaken' : 'finding.stakeReturned')
    : money(paid, currency);

function Commission({ coup, about }: Props): ReactNode {
  const words = useWords();
  const { money, signedMoney } = useFormats();
  if (coup.commission.length === 0) return null;
  const title = words('finding.commission');
  const faulty = about && OF_COMMISSION.includes(about.code) ? about.seat : undefined;
  return (
    <>
      <h3>{title}</h3>
      <div className="scroll" role="region" aria-label={title} tabIndex={0}>
        <table className="bets">
          <Heads names={['seat', 'due', 'commissionTaken', 'commissionMarked', 'difference']} />
          <tbody>
            {coup.commission.map(({ seat, due, taken, marked }) => (
              <tr key={seat} data-faulty={seat === faulty || undefined}>
                <Seat seat={seat} isFaulty={seat === faulty} />
                <td className="numeric">{money(due, coup.currency)}</td>
                <td className="numeric">{money(taken, coup.currency)}</td>
                <td className="numeric">{money(marked, coup.currency)}</td>
                <td className="numeric" data-differs={taken + marked !== due || undefined}>
                  {signedMoney(taken + marked - due, coup.currency)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
