import type { ReactNode } from 'react';
import { departures, isNatural, readTableau, type RuleDocument } from '#baccarat';
import { useWords } from '../words/words.js';

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
/** The totals of two cards that do not end the drawing. */
const TOTALS = DIGITS.filter((total) => !isNatural(2, Number(total)));

/** The drawing rules as rule books print them: one row for the player, a table for the banker. */
export function DrawingTable({ tableau }: Pick<RuleDocument, 'tableau'>): ReactNode {
  const words = useWords();
  const isOptional = [tableau.player, ...tableau.banker].some((row) => row.includes('O'));
  return (
    <div className="rules-drawing">
      <Grid
        caption={words('rules.playerTable')}
        corner={words('rules.playerTotal')}
        heads={TOTALS}
        rows={[{ name: words('side.player'), letters: tableau.player }]}
      />
      <Grid
        caption={words('rules.bankerTable')}
        corner={words('rules.thirdCard')}
        heads={[...DIGITS, words('rules.stood')]}
        rows={tableau.banker.map((letters, total) => ({
          name: words('rules.bankerHas', { total }),
          letters: letters.replace(' ', ''),
        }))}
      />
      <p className="muted">
        {words('rules.letters')} {isOptional && words('rules.optional')} {words('rules.naturals')}
      </p>
      <Departures tableau={tableau} />
    </div>
  );
}

interface GridProps {
  readonly caption: string;
  /** What the columns are. */
  readonly corner: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly name: string; readonly letters: string }[];
}

function Grid({ caption, corner, heads, rows }: GridProps): ReactNode {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table className="rules-tableau">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="rules-corner">
              {corner}
            </th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, letters }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {Array.from(letters, (letter, at) => (
                <td key={at} data-draws={letter}>
                  {letter}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where the table is another than the one that most houses play by. */
function Departures({ tableau }: Pick<RuleDocument, 'tableau'>): ReactNode {
  const words = useWords();
  const differs = departures(readTableau(tableau.player, tableau.banker, 'tableau'));
  if (differs.length === 0) return <p>{words('rules.standard')}</p>;
  return (
    <>
      <p>{words('rules.departs')}</p>
      <ul lang="en">
        {differs.map((difference) => (
          <li key={difference}>{difference}</li>
        ))}
      </ul>
    </>
  );
}
