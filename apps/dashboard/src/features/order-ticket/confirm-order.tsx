'use client';
import type { TradeCreate } from '@trading-automation/sdk';
import { Balance } from '../../ui/balance';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Detail, Details } from '../../ui/details';
import { wordsOf } from '../../ui/status';
import { Amount } from '../../ui/values';
import type { Pair } from './order.rules';
import { PerpetualDetails } from './perpetual-details';
import { Cautions, FeeDetail, Value } from './summary';
import type { Ticket } from './use-ticket';

/** What is placed is shown with every digit. */
const EXACT = 18;

export interface ConfirmOrderProps {
  /** The order that is placed; undefined: the dialog is closed. */
  readonly request: TradeCreate | undefined;
  readonly ticket: Ticket;
  readonly pair: Pair;
  /** The last attempt had no response that says whether the order was placed. */
  readonly isUncertain: boolean;
  readonly onClose: () => void;
  readonly onPlace: (request: TradeCreate) => Promise<void>;
}

/** Repeats exactly what is placed. Amount and prices are fixed; what is expected follows the book. */
export function ConfirmOrder({ request, ticket, pair, isUncertain, onClose, onPlace }: ConfirmOrderProps) {
  if (request === undefined) return null;
  const { estimate, shortage, account, draft } = ticket;
  const verb = request.side === 'BUY' ? 'Buy' : 'Sell';
  const isMarket = request.type === 'MARKET';
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${verb} ${request.amount} ${pair.base}?`}
      action="Place order"
      onConfirm={() => onPlace(request)}
    >
      <div className="text-text">
        <Details>
          <Detail name="Order">
            {`${verb}, ${wordsOf(request.type).toLowerCase()}${isMarket ? '' : `, ${draft.timeInForce}`}`}
          </Detail>
          <Detail name="Amount">
            <Amount value={String(request.amount)} asset={pair.base} digits={EXACT} />
          </Detail>
          {request.stop_price !== undefined && (
            <Detail name="Stop price">
              <Amount value={String(request.stop_price)} asset={pair.quote} digits={EXACT} />
            </Detail>
          )}
          {request.price !== undefined && (
            <Detail name="Limit price">
              <Amount value={String(request.price)} asset={pair.quote} digits={EXACT} />
            </Detail>
          )}
          {isMarket && (
            <Detail name="Expected average price">
              <Value value={estimate?.price} asset={pair.quote} />
            </Detail>
          )}
          <Detail name={isMarket ? 'Expected value' : 'Order value'}>
            <Value value={estimate?.cost} asset={pair.quote} />
          </Detail>
          <FeeDetail ticket={ticket} pair={pair} />
          {pair.trading_type !== 'perpetual' && (
            <Detail name="You receive">
              <Value
                value={estimate?.received?.amount}
                asset={estimate?.received?.asset ?? (request.side === 'BUY' ? pair.base : pair.quote)}
              />
            </Detail>
          )}
          <Detail name="Account">{account?.account_name}</Detail>
          {request.reduce_only === true && <Detail name="Reduce only">Yes</Detail>}
          {request.auto_borrow === true && <Detail name="Borrow what is missing">Yes</Detail>}
          {pair.trading_type === 'perpetual' && <PerpetualDetails ticket={ticket} pair={pair} isFixed />}
          {shortage !== undefined && (
            <Detail name={`Free ${shortage.asset} after the order`}>
              <Balance value={shortage.left.toFixed()} asset={shortage.asset} />
            </Detail>
          )}
        </Details>
      </div>
      <div className="pt-3 text-text has-[>:empty]:hidden">
        <Cautions ticket={ticket} />
      </div>
      <p className="pt-3">
        {isMarket
          ? 'A market order trades at once at the prices of the book, which can differ from the expected one.'
          : 'The order trades only at its price or a better one. You can cancel what is not filled.'}
      </p>
      {isUncertain && (
        <p role="status" className="pt-3 font-medium text-text">
          It is not certain whether the order was placed. “Place order” sends the same order again, and it is
          placed at most once.
        </p>
      )}
    </ConfirmDialog>
  );
}
