'use client';
import { Exact } from '../../format/decimals';
import { formatFigure } from '../../format/figures';
import { formatPercent } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { formatDuration } from '../../format/times';
import { Stat, StatRow } from '../../ui/stat';
import { Amount, Change, Missing, Percent } from '../../ui/values';
import { Bps } from './bps';
import { type CopierRow, useHoldings } from './use-copier';

/** The results of a copier and how well it copies. */
export function CopierFigures({ copier }: { readonly copier: CopierRow }) {
  const { stats } = copier;
  const quote = useHoldings(copier.id).data?.values[0]?.currency;
  return (
    <StatRow>
      <Stat
        label="Realised result"
        value={<Change value={stats.net_pnl} asset={quote} />}
        note={
          <>
            <Change value={stats.unrealized_pnl} asset={quote} /> open
          </>
        }
      />
      <Stat
        label="Account return"
        value={<Percent ratio={stats.roi} isChange />}
        note={
          <>
            Open lots included
            {stats.sharpe !== null && (
              <>
                {', '}
                <Sharpe value={stats.sharpe} />
              </>
            )}
          </>
        }
      />
      <Stat
        label="Open exposure"
        value={<Amount value={stats.open_exposure_quote} asset={quote} digits={2} />}
        note={<Allocation copier={copier} />}
      />
      <Stat
        label="Signals"
        value={`${stats.copied} copied`}
        note={`${stats.skipped} skipped, ${stats.failed} failed`}
      />
      <Stat
        label="Lag behind the strategy"
        value={stats.median_latency_ms === null ? <Missing /> : formatDuration(stats.median_latency_ms)}
        note={
          stats.p99_latency_ms === null
            ? 'Median'
            : `Median; 99 % within ${formatDuration(stats.p99_latency_ms)}`
        }
      />
      <Stat
        label="Slippage"
        value={<Bps value={stats.average_slippage_bps} />}
        note={
          stats.tracking_difference_bps === null ? (
            'Average'
          ) : (
            <>
              Tracking <Bps value={stats.tracking_difference_bps} isChange />
            </>
          )
        }
      />
    </StatRow>
  );
}

function Sharpe({ value }: { readonly value: string }) {
  const { locale } = usePreferences();
  return `Sharpe ${formatFigure(value, locale)}`;
}

/** The open exposure as a share of the equity of the account. */
function Allocation({ copier: { stats } }: { readonly copier: CopierRow }) {
  const { locale } = usePreferences();
  if (stats.equity === null || new Exact(stats.equity).lte(0)) return 'Of the account';
  const share = new Exact(stats.open_exposure_quote).div(stats.equity).toFixed();
  return `${formatPercent(share, locale)} of the equity`;
}
