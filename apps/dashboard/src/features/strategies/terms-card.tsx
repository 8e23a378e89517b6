'use client';
import { periodWord } from '../../data/profit-share';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { Detail, Details } from '../../ui/details';
import { ProfitShareTerms } from '../../ui/profit-share';
import { Amount } from '../../ui/values';
import type { StrategyRow } from './figures';
import { profitShareOf1000 } from './performance.rules';

/** What copying costs and who may copy. */
export function TermsCard({ strategy }: { readonly strategy: StrategyRow }) {
  const { profit_share: share, capacity, copier_count: count, min_copy_equity: minimum } = strategy;
  return (
    <Card title="Terms for copiers">
      <Details>
        <Detail name="Profit share">
          <ProfitShareTerms terms={share} />
        </Detail>
        <Detail name="Minimum equity">
          {minimum === undefined ? (
            <span className="text-muted">None</span>
          ) : (
            <>
              <Amount value={minimum} /> <span className="text-muted">in quote currency</span>
            </>
          )}
        </Detail>
        <Detail name="Places">
          {capacity === undefined ? 'No limit' : `${Math.max(0, capacity - count)} of ${capacity} free`}
        </Detail>
        <Detail name="Sizing by a multiple">{strategy.allow_multiplier ? 'Allowed' : 'Not allowed'}</Detail>
      </Details>
      <ShareExample share={share} />
    </Card>
  );
}

function ShareExample({ share }: { readonly share: StrategyRow['profit_share'] }) {
  const { locale } = usePreferences();
  if (share === undefined || Number(share.rate) === 0)
    return <p className="pt-3 text-muted text-xs">The owner gets no share of the profit of copiers.</p>;
  return (
    <p className="pt-3 text-muted text-xs">
      Each {periodWord(share.period)}, the owner is granted tokens of the platform for a part of a copier's
      profit above its highest result so far: for {formatAmount('1000', locale)} USDT, tokens worth{' '}
      {formatAmount(profitShareOf1000(share.rate), locale)} USDT, less if the budget of the month is used up.
      Copiers pay nothing and keep their whole profit. A loss is made up first. The terms are frozen when a
      copier starts; a raise needs its consent.
    </p>
  );
}
