import type { ReactNode } from 'react';
import { predicateInWords, type RuleDocument } from '#baccarat';
import { useWords } from '../words/words.js';
import { Sources } from './facts.js';

type Bet = RuleDocument['bets'][number];

/** The bets of a document: what each pays and when, and when the stake is returned. */
export function Bets({ document }: { readonly document: RuleDocument }): ReactNode {
  const words = useWords();
  if (document.bets.length === 0) return <p>{words('rules.noBets')}</p>;
  return (
    <div className="scroll rules-scroll" tabIndex={0} role="group" aria-label={words('rules.bets')}>
      <table className="rules-table">
        <thead>
          <tr>
            <th scope="col">{words('rules.bet')}</th>
            <th scope="col">{words('rules.pays')}</th>
            <th scope="col">{words('rules.pushes')}</th>
            <th scope="col">{words('rules.bearsCommission')}</th>
          </tr>
        </thead>
        <tbody>
          {document.bets.map((bet, at) => (
            <tr key={bet.id}>
              <th scope="row">
                {bet.title ?? bet.id} <code>{bet.id}</code>{' '}
                <Sources document={document} of={`/bets/${at}`} />
              </th>
              <td>
                <Cases cases={bet.pays} />
              </td>
              <td>
                <Cases cases={bet.pushes ?? []} />
              </td>
              <td>{words(bet.commission ? 'rules.yes' : 'rules.no')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CasesProps {
  readonly cases: readonly (Bet['pays'][number] | NonNullable<Bet['pushes']>[number])[];
}

function Cases({ cases }: CasesProps): ReactNode {
  const words = useWords();
  return (
    <ul className="rules-cases">
      {cases.map((each) => (
        <li key={JSON.stringify(each)}>
          {'odds' in each && <strong>{each.odds} </strong>}
          <span lang="en">{predicateInWords(each.when)}</span>
          {each.special && ` ${words('rules.insteadOfCommission')}`}
        </li>
      ))}
    </ul>
  );
}
