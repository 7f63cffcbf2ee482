import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { useTitle } from '../app/title.js';
import { useWords } from '../words/words.js';
import { ShoeView } from './shoe-view.js';
import './tables.css';

/** A shoe: its roads, its cards, its coups and their findings. */
export function ShoeScreen(): ReactNode {
  const words = useWords();
  const { table = '', ref = '' }: Search = useParams({ strict: false });
  useTitle(words('shoe.title', { table }));
  return <ShoeView table={table} shoeRef={ref} level={1} />;
}
