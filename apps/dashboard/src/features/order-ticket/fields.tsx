'use client';
/** The inputs of the order ticket. */
import { usePairBook } from '../../data/pair-book';
import { decimalsOf } from '../../format/decimals';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Field, Input, Select } from '../../ui/field';
import { Segmented } from '../../ui/segmented';
import { shareName, sharesName } from './balance-words.rules';
import { amountForShare } from './estimate.rules';
import { hasLimitPrice, hasStopPrice, type Pair } from './order.rules';
import { ProblemFixes, SmallButton } from './problem-fixes';
import type { ServerProblems } from './use-place-order';
import type { Ticket } from './use-ticket';

export interface TicketFieldsProps {
  readonly ticket: Ticket;
  readonly pair: Pair;
  readonly server: ServerProblems;
}

const DECIMAL = { inputMode: 'decimal', autoComplete: 'off', spellCheck: false } as const;

/** The limit and the stop price, as the order type needs them. */
export function PriceFields({ ticket, pair, server }: TicketFieldsProps) {
  const { draft, change, problems } = ticket;
  return (
    <>
      {hasStopPrice(draft.type) && (
        <div>
          <Field
            label="Stop price"
            aside={pair.quote}
            hint={`The order is sent when the price ${draft.side === 'BUY' ? 'rises' : 'falls'} to it.`}
            error={problems.stopPrice?.message ?? server.stop_price}
          >
            <Input
              {...DECIMAL}
              value={draft.stopPrice}
              onChange={(event) => change({ stopPrice: event.target.value })}
            />
          </Field>
          <ProblemFixes
            problem={problems.stopPrice}
            name="stop price"
            onUse={(stopPrice) => change({ stopPrice })}
          />
        </div>
      )}
      {hasLimitPrice(draft.type) && (
        <div>
          <Field label="Limit price" aside={pair.quote} error={problems.price?.message ?? server.price}>
            <Input
              {...DECIMAL}
              value={draft.price}
              onChange={(event) => change({ price: event.target.value })}
            />
          </Field>
          <ProblemFixes problem={problems.price} name="price" onUse={(price) => change({ price })} />
          <BestPrices digits={decimalsOf(pair.price_tick)} onUse={(price) => change({ price })} />
        </div>
      )}
    </>
  );
}

/** The best prices at the pace of the book beside the form, so that both show the same ones. */
function BestPrices({ digits, onUse }: { readonly digits: number; readonly onUse: (price: string) => void }) {
  const { locale } = usePreferences();
  const book = usePairBook();
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  return (
    <div className="flex min-h-[30px] flex-wrap gap-1.5 pt-1.5 pointer-coarse:min-h-[38px]">
      {bid !== undefined && (
        <SmallButton onClick={() => onUse(bid)}>Bid {formatAmount(bid, locale, digits)}</SmallButton>
      )}
      {ask !== undefined && (
        <SmallButton onClick={() => onUse(ask)}>Ask {formatAmount(ask, locale, digits)}</SmallButton>
      )}
    </div>
  );
}

const SHARES = [
  ['0.25', '25'],
  ['0.5', '50'],
  ['0.75', '75'],
  ['1', '100'],
] as const;

/** The amount, in base or in quote, or as a share of the free balance. */
export function AmountField({ ticket, pair, server }: TicketFieldsProps) {
  const { draft, change, problems, amount, order, book, valuation, balances } = ticket;
  const isQuote = draft.mode === 'quote';
  const use = (value: string) => change({ mode: 'base', amount: value });
  const takeShare = (share: string) => {
    if (balances.free === undefined) return;
    const part = amountForShare(order, share, balances.free, pair, book, valuation);
    if (part !== undefined) use(part.toFixed());
  };
  return (
    <div>
      <div className="flex items-end gap-2">
        <Field
          label={isQuote ? 'Value' : 'Amount'}
          error={problems.amount?.message ?? server.amount}
          hint={isQuote ? `${amount?.toFixed() ?? '0'} ${pair.base} after rounding to the step.` : undefined}
          className="flex-1"
          aside={
            <Segmented
              label="Unit of the amount"
              value={draft.mode}
              onChange={(mode) => change({ mode, amount: '' })}
              options={[
                { value: 'base', label: pair.base },
                { value: 'quote', label: pair.quote },
              ]}
            />
          }
        >
          <Input
            {...DECIMAL}
            value={draft.amount}
            onChange={(event) => change({ amount: event.target.value })}
          />
        </Field>
      </div>
      <ProblemFixes problem={problems.amount} name="amount" onUse={use} />
      {/* They keep their place while a price or the balance is missing, so that the form does not move. */}
      <fieldset
        disabled={balances.free === undefined || (order.side === 'BUY' && valuation === undefined)}
        title={order.side === 'BUY' && valuation === undefined ? 'Enter a price first.' : undefined}
        className="flex flex-wrap gap-1.5 pt-1.5"
      >
        <legend className="sr-only">{sharesName(order, pair)}</legend>
        {SHARES.map(([share, percent]) => (
          <SmallButton key={share} label={shareName(percent, pair)} onClick={() => takeShare(share)}>
            {`${percent}\u2009%`}
          </SmallButton>
        ))}
      </fieldset>
    </div>
  );
}

/** The account that trades. */
export function AccountField({ ticket, server }: TicketFieldsProps) {
  const { accounts, account, change } = ticket;
  return (
    <Field label="Account" error={server.exchange_account_id}>
      <Select
        value={account?.id ?? ''}
        disabled={accounts.list.length === 0}
        onChange={(event) => change({ accountId: event.target.value, strategyId: '' })}
      >
        {accounts.isPending && <option value="">Loading accounts</option>}
        {accounts.list.map(({ id, account_name }) => (
          <option key={id} value={id}>
            {account_name}
          </option>
        ))}
      </Select>
    </Field>
  );
}
