'use client';
import { RefreshCw, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { useMayTrade } from '../../data/me';
import { useNow } from '../../format/clock';
import { Badge } from '../../ui/badge';
import { Button, ButtonLink } from '../../ui/button';
import { wordsOf } from '../../ui/status';
import { Time } from '../../ui/values';
import { type Account, balancesOf, LIVE_BALANCES, stateOf } from './account.rules';
import { BalanceTable } from './balance-table';
import { useSync } from './use-sync';

const SHOWN = 6;

interface AccountCardProps {
  readonly account: Account;
  /** The name of the exchange. */
  readonly exchange: string;
  /** Whether no run at the exchange has proven the trading type yet. */
  readonly isBeta: boolean;
}

/** An exchange account: what it holds, how old that is, and whether it works. */
export function AccountCard({ account, exchange, isBeta }: AccountCardProps) {
  const state = stateOf(account, useNow());
  const balances = balancesOf(account);
  const href = `/exchanges/${account.id}`;
  return (
    <section
      aria-label={account.account_name}
      className="flex min-w-0 flex-col rounded-card border bg-surface"
    >
      <header className="flex items-start justify-between gap-3 px-4 pt-4">
        <div className="min-w-0">
          <h2 className="truncate font-semibold text-base">
            <Link href={href} scroll={false} className="hover:underline">
              {account.account_name}
            </Link>
          </h2>
          <p className="flex flex-wrap items-center gap-2 text-muted text-sm">
            {`${exchange}, ${wordsOf(account.trading_type).toLowerCase()}`}
            {isBeta && <Badge>Beta</Badge>}
          </p>
        </div>
        <Badge tone={state.tone}>{state.label}</Badge>
      </header>
      {state.advice !== undefined && (
        <p className="mx-4 mt-3 flex gap-2 rounded-control bg-warn-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {state.advice}
        </p>
      )}
      <div className="flex-1 px-4 py-3">
        <BalanceTable balances={balances.slice(0, SHOWN)} areRead={account.last_sync_at !== null} />
        {balances.length > SHOWN && (
          <Link href={href} scroll={false} className="text-accent-text text-sm hover:underline">
            {`Show ${balances.length - SHOWN} more`}
          </Link>
        )}
      </div>
      <Footer account={account} href={href} />
    </section>
  );
}

function Footer({ account, href }: { readonly account: Account; readonly href: string }) {
  const { state, sync } = useSync(account.id);
  const mayTrade = useMayTrade();
  return (
    <footer className="border-t px-4 py-3">
      <div className="flex flex-col gap-2">
        <p className="text-muted text-xs" title={LIVE_BALANCES}>
          {account.last_sync_at === null ? (
            'Balances not read yet'
          ) : (
            <>
              All balances read <Time at={account.last_sync_at} />
              {account.is_active && ', changes arrive live'}
            </>
          )}
        </p>
        <span className="flex gap-2">
          {mayTrade && account.is_active && (
            <Button
              isBusy={state.kind === 'running'}
              onClick={() => void sync()}
              icon={<RefreshCw aria-hidden className="size-3.5" />}
            >
              Sync and test
            </Button>
          )}
          <ButtonLink href={href} scroll={false}>
            Manage
          </ButtonLink>
        </span>
      </div>
      <p role="status" className={state.kind === 'failed' ? 'text-loss text-xs' : 'text-muted text-xs'}>
        {state.kind === 'running' && 'Reading the balances'}
        {(state.kind === 'done' || state.kind === 'failed') && state.text}
      </p>
    </footer>
  );
}
