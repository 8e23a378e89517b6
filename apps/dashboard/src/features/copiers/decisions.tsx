'use client';
/** Every signal with the decision of the copier about it, in a sentence. */
import Link from 'next/link';
import { Fragment, useMemo } from 'react';
import { usePreferences } from '../../format/preferences';
import { formatDuration } from '../../format/times';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import { EmptyState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { Missing, Time } from '../../ui/values';
import { decisionNumbers } from './decision-numbers.rules';
import { decisionSentence } from './decision-sentence';
import { type DecisionRow, decisionsOf } from './decisions-query';
import { OutcomeBadge } from './outcome-badge';

const OUTCOMES = ['COPIED', 'CLAMPED', 'SKIPPED', 'FAILED', 'PENDING'];
const FILTERS: readonly Filter[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    options: OUTCOMES.map((value) => ({ value, label: value === 'CLAMPED' ? 'Reduced' : wordsOf(value) })),
  },
];
const keyOf = ({ id }: DecisionRow) => id;

function Explanation({ decision }: { readonly decision: DecisionRow }) {
  const { locale } = usePreferences();
  return (
    <div className="max-w-180 py-1">
      {decisionSentence(decision, locale)}
      <Numbers decision={decision} />
      <span className="block text-muted text-xs md:hidden">
        <Links decision={decision} />
      </span>
    </div>
  );
}

/** The numbers behind the sentence. They open in the row, since a skipped signal has no trade to open. */
function Numbers({ decision }: { readonly decision: DecisionRow }) {
  const { locale } = usePreferences();
  const numbers = decisionNumbers(decision.inputs, locale);
  if (numbers.length === 0) return null;
  return (
    <details className="text-muted text-xs">
      <summary className="w-fit cursor-pointer rounded">Numbers</summary>
      <dl className="grid w-fit grid-cols-[auto_auto] gap-x-4 py-1">
        {numbers.map(({ name, value }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd className="text-right">{value}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

function Links({ decision }: { readonly decision: DecisionRow }) {
  const { trade_id: tradeId } = decision;
  if (tradeId === undefined) return <span className="text-muted">No order</span>;
  return (
    <Link href={`/trades/${tradeId}`} className="text-accent-text hover:underline">
      Show trade
    </Link>
  );
}

const COLUMNS: readonly Column<DecisionRow>[] = [
  {
    id: 'created_at',
    header: 'Signal',
    sort: 'created_at',
    cell: ({ symbol, kind, decided_at, outcome }) => (
      <span className="block py-1 md:whitespace-nowrap">
        <span className="font-medium">{symbol}</span>
        <span className="block text-muted text-xs">
          {wordsOf(kind)}, <Time at={decided_at} />
        </span>
        <span className="block pt-1 md:hidden">
          <OutcomeBadge outcome={outcome} />
        </span>
      </span>
    ),
    csv: ({ decided_at }) => decided_at,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    from: 'md',
    cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
    csv: ({ outcome }) => outcome,
  },
  {
    id: 'explanation',
    header: 'Explanation',
    cell: (decision) => <Explanation decision={decision} />,
    csv: (decision) => decisionSentence(decision, 'en'),
  },
  {
    id: 'latency_ms',
    header: 'Lag',
    isNumeric: true,
    from: 'xl',
    cell: ({ latency_ms: ms }) => (ms === undefined ? <Missing /> : formatDuration(ms)),
    csv: ({ latency_ms }) => latency_ms,
  },
  {
    id: 'trade_id',
    header: 'Trade',
    from: 'md',
    cell: (decision) => <Links decision={decision} />,
    csv: ({ trade_id }) => trade_id,
  },
  {
    id: 'sequence',
    header: 'Number of the signal',
    isNumeric: true,
    isOptional: true,
    cell: ({ sequence }) => sequence,
    csv: ({ sequence }) => sequence,
  },
  {
    id: 'code',
    header: 'Code',
    isOptional: true,
    cell: ({ code }) =>
      code === undefined ? <Missing /> : <code className="font-mono text-xs">{code}</code>,
    csv: ({ code }) => code,
  },
];

export function Decisions({ copierId }: { readonly copierId: string }) {
  const { key, read } = useMemo(() => decisionsOf(copierId), [copierId]);
  return (
    <DataTable
      label="Decisions"
      queryKey={key}
      read={read}
      columns={COLUMNS}
      filters={FILTERS}
      tallRowPx={66}
      rowKey={keyOf}
      empty={
        <EmptyState
          title="No signal has arrived yet."
          hint="Once the strategy trades, each signal is listed here: copied, reduced or skipped, and why."
        />
      }
    />
  );
}
