'use client';
import { Download } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { Figures } from '../../data/analytics';
import { Button } from '../../ui/button';
import { saveFile } from '../../ui/data-table/csv';
import { Menu } from '../../ui/menu';
import { MenuItem } from '../../ui/menu-items';
import { figuresFile, fileOf } from './export.rules';

const RESULT = [
  'currency',
  'trade_count',
  'closed_count',
  'winning_count',
  'losing_count',
  'win_rate',
  'net_pnl',
  'fees',
  'volume',
];

/** The figures on this page as CSV files. */
export function ExportMenu({ figures }: { readonly figures: Figures }) {
  const router = useRouter();
  const save = (name: string, text: string) =>
    saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `analytics-${name}.csv`);
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download aria-hidden className="size-4" />}>Export CSV</Button>}
    >
      <MenuItem onSelect={() => save('figures', figuresFile(figures))}>All figures</MenuItem>
      <MenuItem
        onSelect={() =>
          save('days', fileOf(['at', 'equity', 'net_pnl', 'period_pnl', 'drawdown'], figures.equity_curve))
        }
      >
        Result by day
      </MenuItem>
      <MenuItem onSelect={() => save('strategies', fileOf(['strategy_id', ...RESULT], figures.by_strategy))}>
        Result by strategy
      </MenuItem>
      <MenuItem
        onSelect={() => save('pairs', fileOf(['trade_pair_id', 'symbol', ...RESULT], figures.by_pair))}
      >
        Result by pair
      </MenuItem>
      <MenuItem onSelect={() => router.push('/trades')}>Single trades, on the page Trades</MenuItem>
    </Menu>
  );
}
