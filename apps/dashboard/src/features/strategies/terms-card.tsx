'use client';
import { periodWord } from '../../data/profit-share';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { Detail, Details } from '../../ui/details';
import { ProfitShareTerms } from '../../ui/profit-share';
import { Amount } from '../../ui/values';
import type { StrategyRow } from './figures';
import { profitShareExample } from './performance.rules';

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
    return <p className="pt-3 text-muted text-xs">Copying is free: copiers keep their whole profit.</p>;
  const { share: paid, kept } = profitShareExample(share.rate);
  return (
    <p className="pt-3 text-muted text-xs">
      Each {periodWord(share.period)} a part of the profit above the highest result so far goes to the owner.
      Of a profit of {formatAmount('1000', locale)} USDT the owner gets {formatAmount(paid, locale)}, and{' '}
      {formatAmount(kept, locale)} stay with the copier. A loss costs nothing, and is made up first. The terms
      are frozen when a copier starts; a raise needs its consent.
    </p>
  );
}
