'use client';
import type { Withdrawal } from '@trading-automation/sdk';
import { Button, ButtonLink } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Detail, Details } from '../../../ui/details';
import { Status, wordsOf } from '../../../ui/status';
import { Amount } from '../../../ui/values';
import { FullAddress } from '../parts';

/** The withdrawal as the API accepted it. */
export function ResultStep({
  withdrawal,
  onRestart,
}: {
  readonly withdrawal: Withdrawal<'string'>;
  readonly onRestart: () => void;
}) {
  const { amount, fee, net_amount, currency, network, status, status_reason, wallet_address } = withdrawal;
  return (
    <Card title="The withdrawal is requested">
      <div role="status" className="flex flex-col gap-4">
        <p className="text-sm">
          <Amount value={amount} asset={currency} digits={18} /> is held. {status_reason}
        </p>
        <Details>
          <Detail name="Status">
            <Status value={status} />
          </Detail>
          <Detail name="Fee">
            <Amount value={fee} asset={currency} digits={18} />
          </Detail>
          <Detail name="You receive">
            <Amount value={net_amount} asset={currency} digits={18} />
          </Detail>
          <Detail name="Network">{wordsOf(network)}</Detail>
        </Details>
        <FullAddress address={wallet_address} />
        <div className="flex flex-wrap gap-2">
          <Button onClick={onRestart}>Withdraw again</Button>
          <ButtonLink href={`/withdrawals/${withdrawal.id}`} variant="primary">
            Follow its progress
          </ButtonLink>
        </div>
      </div>
    </Card>
  );
}
