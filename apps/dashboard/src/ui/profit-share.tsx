'use client';
import { periodWord } from '../data/profit-share';
import { formatRate } from '../format/numbers';
import { usePreferences } from '../format/preferences';

/** The terms of a profit share in a few words: "15 % of profit, each month", or "None". */
export function ProfitShareTerms({
  terms,
}: {
  readonly terms: { readonly rate: string; readonly period: string } | undefined;
}) {
  const { locale } = usePreferences();
  if (terms === undefined || Number(terms.rate) === 0) return <span className="text-muted">None</span>;
  return (
    <span className="whitespace-nowrap">
      {formatRate(terms.rate, locale)} of profit, each {periodWord(terms.period)}
    </span>
  );
}
