import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { CoupLink, Dealer, ShoeLink } from '../page/places.js';
import type { ReportColumn } from '../page/report-table.js';

/** A line about a coup: where it was dealt, when and by whom. */
interface OfCoup {
  readonly table: string;
  readonly shoe: string;
  readonly shoeRef: string;
  readonly coup: number;
  readonly coupRef: string;
  readonly gamingDay: string;
  readonly openedAt: string;
  readonly dealer: string | null;
}

/** Returns the columns that say which coup a line is about. The first names the total. */
export function useCoupColumns<Line extends OfCoup, Total>(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  return [
    {
      id: 'day',
      title: words('reports.day'),
      cell: (line) => formats.day(line.gamingDay),
      total: () => words('reports.total'),
    },
    { id: 'table', title: words('reports.table'), cell: (line) => line.table },
    { id: 'shoe', title: words('reports.shoe'), cell: (line) => <ShoeLink {...line} /> },
    {
      id: 'coup',
      title: words('reports.coup'),
      isNumeric: true,
      cell: (line) => <CoupLink {...line} />,
    },
    {
      id: 'openedAt',
      title: words('reports.openedAt'),
      cell: (line) => formats.time(line.openedAt),
    },
    {
      id: 'dealer',
      title: words('reports.dealer'),
      cell: (line) => <Dealer dealer={line.dealer} />,
    },
  ];
}
