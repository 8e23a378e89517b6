'use client';
/** The choices of the order ticket that most orders leave as they are. */
import { useStrategies } from '../../data/names';
import { Checkbox, Field, Select } from '../../ui/field';
import type { TicketFieldsProps } from './fields';
import { type TimeInForce, timesInForceOf } from './order.rules';

const TIMES: Readonly<Record<TimeInForce, string>> = {
  GTC: 'Good till cancelled',
  IOC: 'Immediate, cancel the rest',
  FOK: 'Complete at once, or not at all',
  POST_ONLY: 'Post only, never at once',
};

export function TicketOptions({ ticket, pair, server }: TicketFieldsProps) {
  const { draft, change } = ticket;
  const times = timesInForceOf(pair, draft.type);
  return (
    <>
      {draft.type !== 'MARKET' && times.length > 1 && (
        <Field label="Time in force" error={server.time_in_force}>
          <Select
            value={draft.timeInForce}
            onChange={(event) => change({ timeInForce: event.target.value as TimeInForce })}
          >
            {times.map((time) => (
              <option key={time} value={time}>
                {TIMES[time]}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <StrategyField ticket={ticket} pair={pair} server={server} />
      {pair.trading_type === 'margin' && (
        <Checkbox
          label="Borrow what is missing"
          hint="The exchange lends what the account lacks for the order, and charges interest. An order that closes repays the loan."
          checked={draft.isBorrowing}
          onChange={(event) => change({ isBorrowing: event.target.checked })}
        />
      )}
      {pair.trading_type === 'perpetual' && (
        <Checkbox
          label="Reduce only"
          hint="The order can make a position smaller, but never open or turn one."
          checked={draft.isReduceOnly}
          onChange={(event) => change({ isReduceOnly: event.target.checked })}
        />
      )}
    </>
  );
}

/** The strategies of the account that may trade the pair. Their copiers copy the order. */
function StrategyField({ ticket, pair, server }: TicketFieldsProps) {
  const { draft, change, account } = ticket;
  const { data } = useStrategies();
  const fitting = (data ?? []).filter(
    ({ status, exchange_account_id, trade_pair_ids }) =>
      status === 'ACTIVE' &&
      exchange_account_id !== undefined &&
      exchange_account_id === account?.id &&
      (trade_pair_ids === undefined || trade_pair_ids.includes(pair.id)),
  );
  const chosen = fitting.find(({ id }) => id === draft.strategyId);
  if (fitting.length === 0) return null;
  return (
    <Field
      label="Strategy"
      error={server.strategy_id}
      hint={chosen && chosen.copier_count > 0 ? `Copiers that follow it: ${chosen.copier_count}.` : undefined}
    >
      <Select value={chosen?.id ?? ''} onChange={(event) => change({ strategyId: event.target.value })}>
        <option value="">None: only this account trades</option>
        {fitting.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}
