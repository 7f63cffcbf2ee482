import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session/me.js';
import { useWords } from '../../words/words.js';
import { shown } from '../../words/shown.js';

/** The dealer of a line, or that nobody had signed on. */
export function Dealer({ dealer }: { readonly dealer: string | null }): ReactNode {
  const words = useWords();
  return dealer === null || dealer === '' ? (
    <span className="muted">{words('reports.nobody')}</span>
  ) : (
    shown(dealer)
  );
}

interface OfShoe {
  readonly table: string;
  readonly shoe: string;
  readonly shoeRef: string;
}

/** A shoe, which leads to its page. */
export function ShoeLink({ table, shoe, shoeRef }: OfShoe): ReactNode {
  if (!useMay('read-coups')) return shown(shoe);
  return (
    <Link to="/tables/$table/shoes/$ref" params={{ table, ref: shoeRef }} search={{}}>
      {shown(shoe)}
    </Link>
  );
}

interface OfCoup {
  readonly table: string;
  readonly coup: number;
  readonly coupRef: string;
}

/** The number of a coup, which leads to its page. */
export function CoupLink({ table, coup, coupRef }: OfCoup): ReactNode {
  if (!useMay('read-coups')) return coup;
  return (
    <Link to="/coups/$ref" params={{ ref: coupRef }} search={{ table }}>
      {coup}
    </Link>
  );
}
