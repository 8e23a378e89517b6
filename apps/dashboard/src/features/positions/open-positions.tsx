'use client';
import { byId, useAccounts } from '../../data/names';
import { type LotRow, OPEN_LOTS_MAX, useOpenLots } from '../../data/open-lots';
import { baseOf, quoteOf } from '../../format/money';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { worthByQuote } from '../../ui/emergency-stop/open-after-stop.rules';
import { ScrollRegion } from '../../ui/scroll-region';
import { Side } from '../../ui/side';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { Stat, StatRow } from '../../ui/stat';
import { EmptyState, ErrorState } from '../../ui/states';
import { Amount, Change, Percent } from '../../ui/values';
import type { LotSelection } from './close-many';
import { groupLots, type LotGroup } from './groups.rules';
import { ownedLots, resultByQuote, worthLabel } from './totals';

export interface OpenPositionsProps {
  /** Undefined without the permission to trade. */
  readonly onCloseMany: ((selection: LotSelection) => void) | undefined;
}

/** What is open: the sums, then one row for each account and pair. */
export function OpenPositions({ onCloseMany }: OpenPositionsProps) {
  const lots = useOpenLots();
  const accounts = useAccounts();
  const { data } = lots;
  if (lots.isPending || accounts.isPending)
    return (
      <Card isFlush>
        <TableSkeleton rows={4} />
      </Card>
    );
  if (data === undefined)
    return (
      <Card>
        <ErrorState error={lots.error} onRetry={() => void lots.refetch()} />
      </Card>
    );
  if (data.length === 0)
    return (
      <Card>
        <EmptyState
          title="Nothing is open."
          hint="What your orders and copies buy is listed here until it is sold."
          action={
            <ButtonLink href="/trades/new" variant="primary">
              Place order
            </ButtonLink>
          }
        />
      </Card>
    );
  return (
    <div className="flex flex-col gap-4">
      {lots.isError && <StaleNotice error={lots.error} onRetry={() => void lots.refetch()} />}
      <Totals lots={data} />
      <Groups lots={data} onCloseMany={onCloseMany} />
      {data.length === OPEN_LOTS_MAX && (
        <p className="text-muted text-sm">
          The sums cover the newest {OPEN_LOTS_MAX} lots. The list below has all of them.
        </p>
      )}
    </div>
  );
}

function Totals({ lots }: { readonly lots: readonly LotRow[] }) {
  const owned = ownedLots(lots);
  const worth = worthByQuote(owned);
  const results = resultByQuote(lots);
  return (
    <StatRow>
      {owned.length > 0 && (
        <Stat
          label={worthLabel(lots)}
          value={worth.map(({ asset, value }) => (
            <Amount key={asset} value={value} asset={asset} digits={2} />
          ))}
        />
      )}
      <Stat
        label="Open result after fees"
        value={results.map(({ asset, value }) => <Change key={asset} value={value} asset={asset} />)}
      />
      <Stat label="Open lots" value={lots.length} />
      <Stat label="Pairs" value={new Set(lots.map(({ symbol }) => symbol)).size} />
    </StatRow>
  );
}

function Groups({ lots, onCloseMany }: OpenPositionsProps & { readonly lots: readonly LotRow[] }) {
  const accounts = useAccounts();
  const groups = groupLots(lots);
  const accountIds = [...new Set(groups.map(({ accountId }) => accountId))];
  const nameOf = (id: string) => byId(accounts.data, id)?.account_name ?? 'this account';
  return (
    <Card
      title="By account and pair"
      isFlush
      actions={
        onCloseMany !== undefined && (
          <div className="flex flex-wrap gap-2">
            {accountIds.map((id) => {
              const members = lots.filter((lot) => lot.exchange_account_id === id);
              return (
                <Button key={id} onClick={() => onCloseMany({ lots: members, name: nameOf(id) })}>
                  Close all on {nameOf(id)}
                </Button>
              );
            })}
          </div>
        )
      }
    >
      <ScrollRegion label="Open positions by account and pair" className="overflow-x-auto border-t">
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-muted text-xs">
              {COLUMNS.map(([name, classes]) => (
                <th
                  key={name}
                  scope="col"
                  className={`h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${classes}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <GroupRow
                key={group.key}
                group={group}
                account={nameOf(group.accountId)}
                onCloseMany={onCloseMany}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

const FROM_MD = 'max-md:hidden';
const FROM_LG = 'max-lg:hidden';
const FROM_XL = 'max-xl:hidden';
const COLUMNS = [
  ['Pair', ''],
  ['Account', FROM_LG],
  ['Side', FROM_MD],
  ['Lots', `text-right ${FROM_XL}`],
  ['Amount', `text-right ${FROM_MD}`],
  ['Average entry', `text-right ${FROM_XL}`],
  ['Last price', `text-right ${FROM_XL}`],
  ['Worth', `text-right ${FROM_LG}`],
  ['Open result', 'text-right'],
  ['Of cost', `text-right ${FROM_XL}`],
  ['Actions', 'text-right'],
] as const;

function GroupRow({
  group,
  account,
  onCloseMany,
}: OpenPositionsProps & { readonly group: LotGroup<LotRow>; readonly account: string }) {
  const { symbol, side, lots, amount, averagePrice, lastPrice, value, result, ratio } = group;
  const quote = quoteOf(symbol);
  const cells = [
    <span key="pair" className="flex flex-col">
      <span className="font-medium">{symbol}</span>
      <span className="text-muted text-xs lg:hidden">{account}</span>
    </span>,
    account,
    <Side key="side" side={side} isLot />,
    lots.length,
    <Amount key="amount" value={amount} asset={baseOf(symbol)} />,
    <Amount key="price" value={averagePrice} asset={quote} />,
    <Amount key="last" value={lastPrice} asset={quote} />,
    <Amount key="value" value={value} asset={quote} digits={2} />,
    <Change key="result" value={result} asset={quote} />,
    <Percent key="ratio" ratio={ratio} isChange />,
    onCloseMany === undefined ? undefined : (
      <Button
        key="close"
        className="h-7"
        aria-label={`Close all lots of ${symbol} on ${account}`}
        onClick={() => onCloseMany({ lots, name: `${symbol} on ${account}` })}
      >
        Close all
      </Button>
    ),
  ];
  return (
    <tr className="h-11 border-t">
      {COLUMNS.map(([name, classes], i) => (
        <td key={name} className={`px-3 py-1 first:pl-4 last:pr-4 ${classes}`}>
          {cells[i]}
        </td>
      ))}
    </tr>
  );
}
