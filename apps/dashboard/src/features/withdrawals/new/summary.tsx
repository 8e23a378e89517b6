import type { Withdrawal } from '@trading-automation/sdk';
import { Card } from '../../../ui/card';
import { Detail, Details } from '../../../ui/details';
import { wordsOf } from '../../../ui/status';
import { Amount, Missing } from '../../../ui/values';
import { netOf } from '../amount.rules';
import { ShortAddress } from '../parts';
import type { KnownTerms, WithdrawalDraft } from './flow';

/** What the withdrawal is so far, beside every step. */
export function Summary({
  draft,
  terms,
  result,
}: {
  readonly draft: WithdrawalDraft;
  readonly terms: KnownTerms;
  readonly result: Withdrawal<'string'> | undefined;
}) {
  const { currency } = terms;
  const amount = draft.amount === '' ? undefined : draft.amount;
  const fee = result?.fee ?? terms.fee;
  const network = result?.network ?? terms.network;
  return (
    <Card title="This withdrawal">
      <Details>
        <Detail name="Available">
          <Amount value={terms.available} asset={currency} digits={18} />
        </Detail>
        <Detail name="Amount">
          <Amount value={amount} asset={currency} />
        </Detail>
        <Detail name="Fee">
          <Amount value={fee} asset={currency} />
        </Detail>
        <Detail name="You receive">
          <Amount value={result?.net_amount ?? netOf(draft.amount, fee)} asset={currency} />
        </Detail>
        <Detail name="To">
          {draft.address === '' ? <Missing /> : <ShortAddress address={draft.address} />}
        </Detail>
        <Detail name="Network">{network === undefined ? <Missing /> : wordsOf(network)}</Detail>
      </Details>
      {result === undefined && (
        <p className="pt-2 text-muted text-xs">
          {fee === undefined
            ? 'The fee and the network are shown after the request. You can cancel until the payout begins.'
            : 'The fee and the network are those of your latest withdrawal. You can cancel until the payout begins.'}
        </p>
      )}
    </Card>
  );
}
