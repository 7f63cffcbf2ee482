import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BurnText, CommissionText, RuleDocument } from '#baccarat';
import { Failure, sentenceOf } from '../app/failures.js';
import { useMay } from '../app/session/me.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { useSpoken, useWords, type Words } from '../words/words.js';
import { Bets } from './bets.js';
import { Fact, Sources } from './facts.js';
import { Irregularities } from './irregularities.js';
import { Compare, ShoesBy } from './rule-list.js';
import { ruleDocumentQuery, ruleListQuery } from './rules-reads.js';
import { DrawingTable } from './tableau.js';
import './rules.css';

/** One rule document: its drawing table, bets, money, procedure and sources. */
export function RuleDocumentScreen(): ReactNode {
  const words = useWords();
  const { ref = '' }: { readonly ref?: string } = useParams({ strict: false });
  useTitle(ref);
  const { data, error, refetch } = useQuery(ruleDocumentQuery(ref));
  if (error && !data)
    return (
      <Failure
        title={words('rules.notShown', { ref })}
        why={sentenceOf(error, words)}
        again={() => void refetch()}
      />
    );
  if (!data) return <p role="status">{words('shell.loading')}</p>;
  return <Document reference={ref} document={data} />;
}

interface Shown {
  readonly document: RuleDocument;
}

function Document({ reference, document }: Shown & { readonly reference: string }): ReactNode {
  const words = useWords();
  const list = useQuery(ruleListQuery);
  return (
    <article className="rules-page">
      <header className="rules-head">
        <h1>
          {reference} <span lang="en">{document.title}</span>
        </h1>
        <Button className="no-print" onPress={() => globalThis.print()}>
          {words('rules.print')}
        </Button>
      </header>
      <Facts document={document} reference={reference} />
      <h2>
        {words('rules.drawing')} <Sources document={document} of="/tableau" />
      </h2>
      <DrawingTable tableau={document.tableau} />
      <h2>{words('rules.bets')}</h2>
      <Bets document={document} />
      <h2>{words('rules.procedure')}</h2>
      <Procedure document={document} />
      <h2>{words('rules.irregularities')}</h2>
      <Irregularities document={document} />
      <h2>{words('rules.sources')}</h2>
      <SourceList document={document} />
      {list.data && (
        <Compare key={reference} refs={list.data.items.map(({ ref }) => ref)} from={reference} />
      )}
    </article>
  );
}

function Facts({ document, reference }: Shown & { readonly reference: string }): ReactNode {
  const words = useWords();
  const seesShoes = useMay('report-shoes');
  const hash = useQuery(ruleListQuery).data?.items.find(({ ref }) => ref === reference)?.hash;
  return (
    <dl className="rules-facts">
      <Fact name={words('rules.game')}>{document.game.replaceAll('-', ' ')}</Fact>
      <Fact name={words('rules.decks')}>
        {document.decks.join(', ')} <Sources document={document} of="/decks" />
      </Fact>
      {seesShoes && (
        <Fact name={words('rules.shoes')}>
          <ShoesBy rules={reference} />
        </Fact>
      )}
      {hash !== undefined && (
        <Fact name="SHA-256">
          <code>{hash}</code>
        </Fact>
      )}
    </dl>
  );
}

function Procedure({ document }: Shown): ReactNode {
  const { words, locale } = useSpoken();
  const or = new Intl.ListFormat(locale, { type: 'disjunction' });
  const { commission, payouts, burn, cutCard } = document;
  const noted = (of: string): ReactNode => <Sources document={document} of={of} />;
  return (
    <dl className="rules-facts">
      <Fact name={words('rules.commission')}>
        {commission ? commissionIn(words, commission) : words('rules.none')}{' '}
        {commission && noted('/commission')}
      </Fact>
      <Fact name={words('rules.payouts')}>
        {words('rules.roundedTo', {
          unit: payouts?.rounding.unit ?? 1,
          mode: payouts?.rounding.mode ?? 'half-up',
        })}{' '}
        {noted('/payouts')}
      </Fact>
      <Fact name={words('rules.burn')}>
        {or.format(burn.map((way) => burnIn(words, way)))} {noted('/burn')}
      </Fact>
      <Fact name={words('rules.cutCard')}>
        {words('rules.cutCardCoups', {
          inside: cutCard.insideCoup,
          between: cutCard.betweenCoups,
        })}{' '}
        {noted('/cutCard')}
      </Fact>
      <Announcements document={document} />
    </dl>
  );
}

/** Returns commission in words. Its amounts are in minor units. */
function commissionIn(words: Words, { rate, when, rounding, minimum }: CommissionText): string {
  const rounded = words('rules.roundedTo', { ...rounding });
  const said = words('rules.commissionIs', { rate, when, rounding: rounded });
  if (minimum === undefined) return said;
  return words('rules.commissionAtLeast', { commission: said, amount: minimum });
}

/** Returns a permitted burn in words. A card counts as usual where the document does not say it. */
const burnIn = (words: Words, way: BurnText): string =>
  words(`rules.burn.${way.count}`, { ace: 1, ten: 10, face: 10, ...way });

function Announcements({ document }: Shown): ReactNode {
  const words = useWords();
  const { specials, clockTolerance, procedure } = document;
  const noted = (of: string): ReactNode => <Sources document={document} of={of} />;
  return (
    <>
      <Fact name={words('rules.announced')}>
        {specials.join(', ') || words('rules.none')} {noted('/specials')}
      </Fact>
      <Fact name={words('rules.clocks')}>
        {words('rules.clocksMay', { seconds: clockTolerance })} {noted('/clockTolerance')}
      </Fact>
      {procedure.demonstrationHands !== undefined && (
        <Fact name={words('rules.shownHands')}>
          {words('rules.atMost', { count: procedure.demonstrationHands })} {noted('/procedure')}
        </Fact>
      )}
    </>
  );
}

function SourceList({ document: { sources } }: Shown): ReactNode {
  return (
    <ol className="rules-sources" lang="en">
      {Object.entries(sources).map(([key, { title, section, edition }]) => (
        <li key={key}>
          {title}, {section} ({edition})
        </li>
      ))}
    </ol>
  );
}
