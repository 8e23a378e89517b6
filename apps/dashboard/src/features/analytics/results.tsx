'use client';
import type { Figures } from '../../data/analytics';
import { Exact, isZero } from '../../format/decimals';
import { asLoss } from '../../format/figures';
import { Definition } from '../../ui/definition';
import { Stat } from '../../ui/stat';
import { Amount, Change, Percent } from '../../ui/values';
import { DEFINITIONS } from './definitions';

/** The result, and what it consists of. */
export function Results({ figures }: { readonly figures: Figures }) {
  const { net_pnl, roi, unrealized_pnl, fees, funding, volume, gross_profit, gross_loss } = figures;
  const currency = figures.currency ?? undefined;
  return (
    <section aria-labelledby="net-result" className="rounded-card border bg-surface">
      <div className="px-4 pt-4 pb-3">
        <h2 id="net-result" className="text-muted text-xs">
          <Definition text={DEFINITIONS.net}>Net result, realised</Definition>
        </h2>
        <p className="font-semibold text-2xl sm:text-figure">
          <Change value={net_pnl} asset={currency} />
        </p>
        <p className="flex items-center gap-2 text-muted text-sm">
          <Percent ratio={roi} isChange />
          <Definition text={DEFINITIONS.roi}>return in this range</Definition>
        </p>
      </div>
      <div className="grid grid-cols-2 gap-x-6 gap-y-4 border-t p-4 sm:grid-cols-3 lg:grid-flow-col lg:auto-cols-fr lg:grid-cols-none">
        <Stat
          label={<Definition text={DEFINITIONS.open}>Open result</Definition>}
          value={<Change value={unrealized_pnl} asset={currency} />}
        />
        <Stat
          label={<Definition text={DEFINITIONS.grossProfit}>Gross profit</Definition>}
          value={<Change value={gross_profit} asset={currency} />}
        />
        <Stat
          label={<Definition text={DEFINITIONS.grossLoss}>Gross loss</Definition>}
          value={<Change value={asLoss(gross_loss)} asset={currency} />}
        />
        <Stat
          label={<Definition text={DEFINITIONS.fees}>Fees</Definition>}
          value={<Amount value={fees} asset={currency} digits={2} />}
        />
        {/* Spot has no funding. */}
        {!isZero(new Exact(funding)) && (
          <Stat
            label={<Definition text={DEFINITIONS.funding}>Funding</Definition>}
            value={<Change value={funding} asset={currency} />}
          />
        )}
        <Stat
          label={<Definition text={DEFINITIONS.volume}>Volume</Definition>}
          value={<Amount value={volume} asset={currency} digits={0} />}
        />
      </div>
    </section>
  );
}
