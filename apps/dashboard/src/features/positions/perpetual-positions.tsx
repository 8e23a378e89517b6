'use client';
import { useState } from 'react';
import { useMayTrade } from '../../data/me';
import { byId, useAccounts } from '../../data/names';
import { POSITIONS_MAX, type PositionRow, usePositions } from '../../data/perpetual-positions';
import { useNow } from '../../format/clock';
import { baseOf, quoteOf } from '../../format/money';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { onDemand } from '../../ui/on-demand';
import { ScrollRegion } from '../../ui/scroll-region';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { Amount, Change, Missing, Time } from '../../ui/values';
import { AccountName } from './columns';
import { marginStateOf } from './margin-state.rules';
import { isReadingOld } from './reading-age.rules';

const LeverageDialog = onDemand(() =>
  import('../../ui/leverage/leverage-dialog').then((module) => module.LeverageDialog),
);

/** The positions in perpetuals. Shown only to a user who has such a position, or an account that may have one. */
export function PerpetualPositions() {
  const positions = usePositions();
  const accounts = useAccounts();
  const mayTrade = useMayTrade();
  const [changing, setChanging] = useState<PositionRow>();
  const { data } = positions;
  const hasAccount = accounts.data?.some(({ trading_type }) => trading_type === 'perpetual') === true;
  if (!hasAccount && (data === undefined || data.length === 0)) return null;
  return (
    <Card title="Perpetuals" isFlush>
      {positions.isPending && <TableSkeleton rows={2} />}
      {positions.isError && data === undefined && (
        <ErrorState error={positions.error} onRetry={() => void positions.refetch()} />
      )}
      {positions.isError && data !== undefined && (
        <StaleNotice error={positions.error} onRetry={() => void positions.refetch()} />
      )}
      {data?.length === 0 && (
        <EmptyState
          title="No position in a perpetual is open."
          hint="What your accounts hold in perpetuals is listed here until it is closed."
        />
      )}
      {data !== undefined && data.length > 0 && (
        <Table positions={data} onChange={mayTrade ? setChanging : undefined} />
      )}
      {data?.length === POSITIONS_MAX && (
        <p className="px-4 py-2 text-muted text-sm">The table has the newest {POSITIONS_MAX} positions.</p>
      )}
      {changing !== undefined && (
        <LeverageDialog
          market={changing}
          account={byId(accounts.data, changing.exchange_account_id)?.account_name}
          onClose={() => setChanging(undefined)}
        />
      )}
    </Card>
  );
}

interface TableProps {
  readonly positions: readonly PositionRow[];
  /** Opens the dialog that changes the leverage; undefined without the permission to trade. */
  readonly onChange: ((position: PositionRow) => void) | undefined;
}

const FROM_MD = 'max-md:hidden';
const FROM_LG = 'max-lg:hidden';
const FROM_XL = 'max-xl:hidden';
/** All columns fit from here on. */
const FROM_WIDE = 'max-[1360px]:hidden';
const COLUMNS = [
  ['Market', ''],
  ['Amount', `text-right ${FROM_MD}`],
  // The quote currency of the prices is in the name of the market.
  ['Entry', `text-right ${FROM_XL}`],
  ['Mark', `text-right ${FROM_XL}`],
  ['Liquidation', `text-right ${FROM_LG}`],
  ['Leverage', `text-right ${FROM_LG}`],
  ['Margin ratio', `text-right ${FROM_LG}`],
  ['Open result', 'text-right'],
  ['Realised', `text-right ${FROM_WIDE}`],
  ['Funding', `text-right ${FROM_WIDE}`],
  ['Actions', 'text-right'],
] as const;

function Table({ positions, onChange }: TableProps) {
  return (
    <ScrollRegion label="Positions in perpetuals" className="overflow-x-auto border-t">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-muted text-xs">
            {COLUMNS.map(([name, classes]) => (
              <th
                key={name}
                scope="col"
                className={`h-9 px-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${classes}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {positions.map((position) => (
            <Row key={position.id} position={position} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Row({ position, onChange }: { readonly position: PositionRow } & Pick<TableProps, 'onChange'>) {
  const { symbol, side, exchange_account_id, trade_pair_id, is_supported, margin_mode } = position;
  const quote = quoteOf(symbol);
  const cells = [
    <span key="market" className="flex flex-col">
      <span className="flex flex-wrap items-center gap-1.5 font-medium">
        {symbol}
        {!is_supported && <Badge tone="warn">Shown only</Badge>}
      </span>
      <span className="text-muted text-xs">
        {side === 'LONG' ? 'Long' : 'Short'} on <AccountName id={exchange_account_id} />
      </span>
      <OldReading position={position} />
      <NarrowRisk position={position} />
    </span>,
    <Amount key="amount" value={position.amount} asset={baseOf(symbol)} />,
    <Amount key="entry" value={position.entry_price} />,
    <Amount key="mark" value={position.mark_price} />,
    <Amount key="liquidation" value={position.liquidation_price} />,
    <span key="leverage" className="whitespace-nowrap">
      {position.leverage === null ? <Missing /> : <span>{position.leverage}×</span>}{' '}
      <span className="text-muted">{margin_mode === 'CROSS' ? 'Cross' : 'Isolated'}</span>
    </span>,
    <MarginRatio key="ratio" position={position} />,
    <Change key="open" value={position.unrealized_pnl} asset={quote} />,
    <Change key="realised" value={position.realized_pnl} asset={quote} />,
    <Change key="funding" value={receivedOf(position.funding_paid)} asset={quote} />,
    onChange === undefined || trade_pair_id === undefined || !is_supported ? undefined : (
      <Button
        key="change"
        className="h-7"
        aria-label={`Change leverage of ${symbol}`}
        onClick={() => onChange(position)}
      >
        Change
      </Button>
    ),
  ];
  return (
    <tr className="h-11 border-t">
      {COLUMNS.map(([name, classes], i) => (
        <td key={name} className={`px-2 py-1 first:pl-4 last:pr-4 ${classes}`}>
          {cells[i]}
        </td>
      ))}
    </tr>
  );
}

/** A gain is positive everywhere on the page, so what the account paid is negative. */
function receivedOf(paid: string): string {
  if (paid === '0') return paid;
  return paid.startsWith('-') ? paid.slice(1) : `-${paid}`;
}

/** Whether the figures of a position may have changed since they were read. */
function useIsOld(position: PositionRow): boolean {
  const nowMs = useNow();
  const account = byId(useAccounts().data, position.exchange_account_id);
  return isReadingOld(position, account?.is_active !== false, nowMs);
}

/** When the figures were read, if that is too long ago. */
function OldReading({ position }: { readonly position: PositionRow }) {
  if (!useIsOld(position)) return null;
  return (
    <span className="text-warn text-xs">
      Read <Time at={position.updated_at} />
    </span>
  );
}

/** What the columns show that narrow screens have no room for: how near the position is to its liquidation. */
function NarrowRisk({ position }: { readonly position: PositionRow }) {
  const { margin_ratio, liquidation_price, leverage, margin_mode } = position;
  return (
    <span className="flex flex-col items-start text-muted text-xs lg:hidden">
      <MarginBadge ratio={margin_ratio} />
      <span>
        Margin ratio <Amount value={margin_ratio} digits={2} />
      </span>
      <span>
        Liquidation <Amount value={liquidation_price} />
      </span>
      <span>
        {leverage !== null && `${leverage}× `}
        {margin_mode === 'CROSS' ? 'Cross' : 'Isolated'}
      </span>
    </span>
  );
}

function MarginBadge({ ratio }: { readonly ratio: string | undefined }) {
  const state = marginStateOf(ratio);
  if (state === 'call') return <Badge tone="loss">Near liquidation</Badge>;
  return state === 'low' ? <Badge tone="warn">Low margin</Badge> : null;
}

function MarginRatio({ position }: { readonly position: PositionRow }) {
  const ratio = position.margin_ratio;
  const isOld = useIsOld(position);
  if (ratio === undefined) return <Missing />;
  return (
    <span className={`inline-flex items-center justify-end gap-1.5 ${isOld ? 'text-muted' : ''}`}>
      <MarginBadge ratio={ratio} />
      <Amount value={ratio} digits={2} />
    </span>
  );
}
