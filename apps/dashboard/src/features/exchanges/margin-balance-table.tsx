import { Balance } from '../../ui/balance';
import type { MarginBalanceRow } from './account.rules';

const COLUMNS = [
  ['total', 'Total'],
  ['used', 'In orders'],
  ['free', 'Free'],
  ['borrowed', 'Borrowed'],
  ['interest', 'Interest'],
] as const;

export interface MarginBalanceTableProps {
  readonly balances: readonly MarginBalanceRow[];
  /** Whether the balances have been read once. */
  readonly areRead: boolean;
}

/** What a margin account holds and owes, by asset. */
export function MarginBalanceTable({ balances, areRead }: MarginBalanceTableProps) {
  if (balances.length === 0)
    return (
      <p className="py-2 text-muted text-sm">
        {areRead ? 'The account holds and owes nothing.' : 'The balances have not been read yet.'}
      </p>
    );
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <caption className="sr-only">Balances and loans</caption>
        <thead>
          <tr className="text-muted text-xs">
            <th scope="col" className="h-8 text-left font-medium">
              Asset
            </th>
            {COLUMNS.map(([name, title]) => (
              <th key={name} scope="col" className="pl-3 text-right font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {balances.map((row) => (
            <tr key={row.asset} className="h-8 border-t">
              <td className="font-medium">{row.asset}</td>
              {COLUMNS.map(([name]) => (
                <td key={name} className="pl-3 text-right">
                  <Balance value={row[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
