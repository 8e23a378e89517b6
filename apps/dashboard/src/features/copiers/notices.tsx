'use client';
/** What the user of a copier must know or decide, above its figures. */
import { useQueryClient } from '@tanstack/react-query';
import type { ProfitShareAccept } from '@trading-automation/sdk';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { api } from '../../data/api';
import { baseOf } from '../../data/symbols';
import { Exact } from '../../format/decimals';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { ProfitShareTerms } from '../../ui/profit-share';
import { Amount, Time } from '../../ui/values';
import { statusReason } from './copier-words';
import { HeldPositions } from './holdings';
import { type CopierRow, useHoldings } from './use-copier';

function Notice({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-warn-line bg-warn-soft px-4 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-64">{children}</div>
      {action}
    </div>
  );
}

export function CopierNotices({ copier }: { readonly copier: CopierRow }) {
  return (
    <>
      {copier.status !== 'ACTIVE' && <StoppedNotice copier={copier} />}
      {copier.profit_share_offer !== undefined && <OfferNotice copier={copier} />}
      {copier.drift.length > 0 && <DriftNotice copier={copier} />}
    </>
  );
}

function StoppedNotice({ copier }: { readonly copier: CopierRow }) {
  const { data } = useHoldings(copier.id);
  const isPaused = copier.status === 'PAUSED';
  const isNew = copier.started_at === undefined;
  return (
    <Notice>
      <p className="font-medium">
        {isNew
          ? 'This copier has never been started.'
          : isPaused
            ? 'Paused: it copies neither entries nor exits.'
            : 'Close only: it copies no entries, but still the exits of the strategy.'}
      </p>
      {!isNew && (
        <p>
          {statusReason(copier.status_reason)}, <Time at={copier.stopped_at} />.{' '}
          {data !== undefined && data.positions > 0 && (
            <>
              <HeldPositions holdings={data} /> {data.positions === 1 ? 'is' : 'are'} open
              {isPaused && ', and nothing closes them automatically'}.
            </>
          )}
        </p>
      )}
      {isNew && (
        <p>
          <Link
            href={`/copiers/new?copier=${copier.id}&step=simulation`}
            className="text-accent-text underline"
          >
            Simulate it
          </Link>{' '}
          before you start it.
        </p>
      )}
    </Notice>
  );
}

function OfferNotice({ copier }: { readonly copier: CopierRow }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { profit_share_offer: offer, profit_share: accepted } = copier;
  if (offer === undefined) return null;
  const isRaise = accepted === undefined || new Exact(offer.rate).gt(accepted.rate);
  const accept = async () => {
    await api().copiers.acceptProfitShare(copier.id, offer as ProfitShareAccept);
    await queries.invalidateQueries({ queryKey: ['copiers'] });
  };
  return (
    <Notice action={<Button onClick={() => setAsking(true)}>Review terms</Button>}>
      <p className="font-medium">
        The strategy offers other terms: <ProfitShareTerms terms={offer} />
      </p>
      <p>
        Yours are <ProfitShareTerms terms={accepted} />. They stay as they are until you accept the new ones.
      </p>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Accept the new profit share?"
        action="Accept terms"
        onConfirm={accept}
      >
        From the next period on, the profit share is <ProfitShareTerms terms={offer} /> instead of{' '}
        <ProfitShareTerms terms={accepted} />. The owner gets it in tokens of the platform; nothing is taken
        from your account.{' '}
        {isRaise && (
          <>
            For a profit of 1,000 above your highest result, the owner then gets tokens worth up to{' '}
            <Amount value={new Exact(offer.rate).times(1_000).toFixed()} digits={2} /> instead of{' '}
            <Amount value={new Exact(accepted?.rate ?? 0).times(1_000).toFixed()} digits={2} />. If you do
            nothing, your present terms stay.
          </>
        )}
      </ConfirmDialog>
    </Notice>
  );
}

function DriftNotice({ copier }: { readonly copier: CopierRow }) {
  return (
    <Notice>
      <p className="font-medium">The strategy sold during the pause what this copier still holds.</p>
      <ul>
        {copier.drift.map(({ source_trade_id: id, symbol, excess_amount, held_amount }) => (
          <li key={id}>
            <Amount value={excess_amount} asset={baseOf(symbol)} /> of{' '}
            <Amount value={held_amount} asset={baseOf(symbol)} /> held
          </li>
        ))}
      </ul>
      <p>
        Nothing is sold without you: stop and start the copier to sell these amounts, or close the lots
        yourself.
      </p>
    </Notice>
  );
}
