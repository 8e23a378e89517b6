'use client';
import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Figures } from '../../data/analytics';
import { asLoss, formatFigure } from '../../format/figures';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { formatDuration } from '../../format/times';
import { Card } from '../../ui/card';
import { Definition } from '../../ui/definition';
import { Detail, Details } from '../../ui/details';
import { Change, Missing, Percent, Time } from '../../ui/values';
import { DEFINITIONS } from './definitions';

type Name = keyof typeof DEFINITIONS;

function Figure({
  of,
  label,
  children,
}: {
  readonly of: Name;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return <Detail name={<Definition text={DEFINITIONS[of]}>{label}</Definition>}>{children}</Detail>;
}

function Ratio({ value }: { readonly value: string | null }) {
  const { locale } = usePreferences();
  return value === null ? <Missing /> : formatFigure(value, locale);
}

/** Trades, averages and risk. */
export function Ratios({ figures }: { readonly figures: Figures }) {
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
      <Trades figures={figures} />
      <Averages figures={figures} />
      <Risk figures={figures} />
    </div>
  );
}

function Trades({ figures }: { readonly figures: Figures }) {
  const { win_rate, closed_count, winning_count, losing_count, average_holding_seconds } = figures;
  return (
    <Card title="Trades">
      <Details>
        <Figure of="winRate" label="Win rate">
          <Percent ratio={win_rate} />
        </Figure>
        <Figure of="closed" label="Closed trades">
          {closed_count}
        </Figure>
        <Detail name="Winning">{winning_count}</Detail>
        <Detail name="Losing">{losing_count}</Detail>
        <Figure of="losingRun" label="Longest losing run">
          {figures.max_consecutive_losses}
        </Figure>
        <Figure of="holding" label="Average holding time">
          {average_holding_seconds === null ? (
            <Missing />
          ) : (
            formatDuration(Number(average_holding_seconds) * 1_000)
          )}
        </Figure>
      </Details>
    </Card>
  );
}

function Averages({ figures }: { readonly figures: Figures }) {
  const { average_win, average_loss, best_trade, worst_trade } = figures;
  const currency = figures.currency ?? undefined;
  return (
    <Card title="Gains and losses">
      <Details>
        <Figure of="profitFactor" label="Profit factor">
          <Ratio value={figures.profit_factor} />
        </Figure>
        <Figure of="expectancy" label="Average trade">
          <Change value={figures.expectancy} asset={currency} />
        </Figure>
        <Figure of="averageWin" label="Average win">
          <Change value={average_win} asset={currency} />
        </Figure>
        <Figure of="averageLoss" label="Average loss">
          <Change value={asLoss(average_loss)} asset={currency} />
        </Figure>
        <Figure of="best" label="Best trade">
          <TradeResult trade={best_trade} currency={currency} />
        </Figure>
        <Figure of="worst" label="Worst trade">
          <TradeResult trade={worst_trade} currency={currency} />
        </Figure>
      </Details>
    </Card>
  );
}

function TradeResult({
  trade,
  currency,
}: {
  readonly trade: Figures['best_trade'];
  readonly currency: string | undefined;
}) {
  if (trade === null) return <Missing />;
  return (
    <Link href={`/trades/${trade.trade_id}`} className="underline">
      <Change value={trade.net_pnl} asset={currency} />
    </Link>
  );
}

function Risk({ figures }: { readonly figures: Figures }) {
  const { max_drawdown, sharpe, sortino, calmar, sample_days } = figures;
  const { amount, percent, trough_at, recovered_at } = max_drawdown;
  return (
    <Card title="Risk">
      <Details>
        <Figure of="drawdown" label="Largest drawdown">
          <span className="flex flex-col items-end">
            <Change value={asLoss(amount)} asset={figures.currency ?? undefined} />
            {trough_at !== null && (
              <span className="text-muted text-xs">
                <DrawdownPercent percent={percent} />
                {recovered_at === null ? (
                  'not recovered yet'
                ) : (
                  <>
                    recovered <Time at={recovered_at} />
                  </>
                )}
              </span>
            )}
          </span>
        </Figure>
        <Figure of="sharpe" label="Sharpe ratio">
          <Ratio value={sharpe} />
        </Figure>
        <Figure of="sortino" label="Sortino ratio">
          <Ratio value={sortino} />
        </Figure>
        <Figure of="calmar" label="Calmar ratio">
          <Ratio value={calmar} />
        </Figure>
        <Figure of="days" label="Trading days">
          {sample_days}
        </Figure>
      </Details>
    </Card>
  );
}

/** The API sends this figure in percent. */
function DrawdownPercent({ percent }: { readonly percent: string | null }) {
  const { locale } = usePreferences();
  return percent === null ? null : `${formatAmount(percent, locale, 2)}\u2009%, `;
}
