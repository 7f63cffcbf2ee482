import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import { useWords } from '../words/words.js';
import { Flag } from './flag.js';
import type { Shoe } from './reads.js';

type Finding = Answers['FindingAnswer'];

/** The findings about the shoe as a whole, and what could not be judged in it. */
export function ShoeFindings({ shoe }: { readonly shoe: Shoe }): ReactNode {
  const words = useWords();
  const { raised = [], unjudgeable = [] } = shoe;
  const whole = raised.filter(({ coupRef, status }) => coupRef === null && status === 'standing');
  return (
    <>
      {whole.length > 0 && (
        <section>
          <h2>{words('shoe.findings')}</h2>
          <ul className="tables-findings" role="list">
            {whole.map((finding) => (
              <li key={finding.id}>
                <FindingLink finding={finding} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {unjudgeable.length > 0 && (
        <section>
          <h2>{words('shoe.unjudgeable')}</h2>
          <ul>
            {unjudgeable.map(({ coup, codes, why, events }) => (
              <li key={[coup, ...codes, ...events].join()}>
                {coup !== undefined && <>{words('tables.coup', { coup })}: </>}
                <span lang="en">{why}</span> <span className="muted">{codes.join(', ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A finding as a link: the shape of its severity, its code and the title of the code. */
export function FindingLink({ finding }: { readonly finding: Finding }): ReactNode {
  const words = useWords();
  const { id, code, severity, message, review } = finding;
  return (
    <Link to="/findings/$id" params={{ id }} className="tables-finding" title={message}>
      <Flag severity={severity} /> <strong>{code}</strong> {words(`${code}.title`)}
      {review.state === 'ruled' && <span className="muted"> · {words('shoe.ruled')}</span>}
    </Link>
  );
}
