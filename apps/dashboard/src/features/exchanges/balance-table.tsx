import { Balance } from '../../ui/balance';
import { Skeleton } from '../../ui/skeleton';
import { Missing } from '../../ui/values';
import { type BalanceRow, type FreeAmounts, heldOf } from './account.rules';

export interface BalanceTableProps {
  readonly balances: readonly BalanceRow[];
  /** Whether the balances have been read once. */
  readonly areRead: boolean;
  /** Adds what orders hold and what is free. */
  readonly free?: FreeAmounts;
}

/** What an account holds, by asset. */
export function BalanceTable({ balances, areRead, free }: BalanceTableProps) {
  if (balances.length === 0)
    return (
      <p className="py-2 text-muted text-sm">
        {areRead ? 'The account holds nothing.' : 'The balances have not been read yet.'}
      </p>
    );
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Balances</caption>
      <thead>
        <tr className="text-muted text-xs">
          <th scope="col" className="h-8 text-left font-medium">
            Asset
          </th>
          <th scope="col" className="text-right font-medium" title="What is free, and what orders hold">
            Total
          </th>
          {free !== undefined && (
            <>
              <th scope="col" className="text-right font-medium">
                In orders
              </th>
              <th scope="col" className="text-right font-medium">
                Free
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {balances.map(({ asset, amount }) => (
          <tr key={asset} className="h-8 border-t">
            <td className="font-medium">{asset}</td>
            <td className="text-right">
              <Balance value={amount} />
            </td>
            {free !== undefined && (
              <>
                <FreeCell value={free.amounts && heldOf(amount, free.amounts[asset])} free={free} />
                <FreeCell value={free.amounts?.[asset]} free={free} />
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FreeCell({ value, free }: { readonly value: string | undefined; readonly free: FreeAmounts }) {
  return (
    <td className="pl-3 text-right">
      {value !== undefined ? (
        <Balance value={value} />
      ) : free.isFailed ? (
        <Missing />
      ) : (
        <Skeleton className="ml-auto h-3 w-16" />
      )}
    </td>
  );
}
