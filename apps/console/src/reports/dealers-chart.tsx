import { axisX, barX, dot, gridX, plot, ruleX } from '@observablehq/plot';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Answers } from '../api/client.js';
import { shown } from '../words/shown.js';
import { useWords } from '../words/words.js';

type Line = Answers['DealerAnswer'];

interface Props {
  /** From top to bottom, at most `PLOTTED_MAX`. */
  readonly lines: readonly Line[];
  /** The rate of all dealers together; null if nothing was dealt. */
  readonly house: number | null;
  /** Returns how to write a rate. */
  readonly rate: (value: number) => string;
}

const PLOTTED_MAX = 100;
const ROW_PX = 18;
const NAME_LENGTH_MAX = 18;
/** Room for the names of dealers. */
const NAMES_PX = 150;
const WIDTH_PX_MAX = 1_100;

/**
 * The rate of each dealer as a dot on a bar that reaches from its lower to its upper limit. A wide
 * bar is one of few coups. The table under it has the same numbers.
 */
export default function DealersChart({ lines, house, rate }: Props): ReactNode {
  const words = useWords();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  useEffect(() => {
    const element = place.current;
    if (!element || width === 0) return undefined;
    const picture = pictureOf(lines.slice(0, PLOTTED_MAX), house, {
      width,
      label: words('reports.rateAxis'),
      nobody: words('reports.nobody'),
    });
    // The picture has one name. Groups in it may not have names of their own.
    for (const part of picture.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    element.append(picture);
    return () => picture.remove();
  }, [lines, house, width, words]);
  return (
    <figure className="report-chart">
      <div ref={place} role="img" aria-label={words('reports.chart')} />
      <figcaption className="muted">
        {house !== null && words('reports.houseRate', { rate: rate(house) })}{' '}
        {words('reports.beyond')}
        {lines.length > PLOTTED_MAX && ` ${words('reports.firstDrawn', { count: PLOTTED_MAX })}`}
      </figcaption>
    </figure>
  );
}

/** Returns the width of an element, and follows it. */
function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() =>
      setWidth(Math.min(WIDTH_PX_MAX, Math.floor(element.clientWidth))),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

/**
 * Returns where the axis ends. One dealer of two coups has limits of thousands, which would press
 * all other bars together, so a bar may go beyond the end.
 */
function endOf(lines: readonly Line[], house: number): number {
  const uppers = lines.map(({ upper95 }) => upper95 ?? 0).sort((a, b) => a - b);
  const usual = uppers[Math.floor(uppers.length / 2)] ?? 0;
  const lowers = lines.map(({ lower95 }) => lower95 ?? 0);
  return Math.min(uppers.at(-1) ?? 0, Math.max(2.5 * usual, 2 * house, 1.3 * Math.max(...lowers)));
}

interface Labels {
  readonly width: number;
  readonly label: string;
  readonly nobody: string;
}

function pictureOf(lines: readonly Line[], house: number | null, { width, label, nobody }: Labels) {
  const plotted = lines.filter(({ upper95 }) => upper95 !== null);
  const name = ({ dealer }: Line): string => (dealer === null ? nobody : shown(dealer));
  const short = (text: string): string =>
    text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}…` : text;
  return plot({
    // With a class name of our own its style sheet is constant, and the policy permits that one.
    className: 'plot',
    width,
    height: plotted.length * ROW_PX + 60,
    marginLeft: Math.min(NAMES_PX, width / 3),
    x: { domain: [0, endOf(plotted, house ?? 0)], nice: true },
    y: { label: null, domain: plotted.map(name), tickFormat: short, tickSize: 0 },
    marks: [
      gridX({ stroke: 'var(--line)', strokeOpacity: 0.4 }),
      axisX({ label, labelAnchor: 'center', labelArrow: 'none' }),
      barX(plotted, {
        y: name,
        x1: 'lower95',
        x2: 'upper95',
        fill: 'var(--accent)',
        fillOpacity: 0.3,
        stroke: 'var(--accent)',
        insetTop: 3,
        insetBottom: 3,
        clip: true,
      }),
      dot(plotted, { y: name, x: 'errorsPer1000', fill: 'var(--text)', r: 4, clip: true }),
      ...(house === null
        ? []
        : [
            ruleX([house], { stroke: 'var(--severity-2)', strokeWidth: 2, strokeDasharray: '5 3' }),
          ]),
    ],
  });
}
