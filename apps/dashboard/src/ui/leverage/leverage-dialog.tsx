'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { LeverageSettings, LeverageUpdate } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { formErrorsOf } from '../../data/form-errors';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Field, Input, Select } from '../field';
import { FormError } from '../form-error';
import { notify } from '../notify';

type MarginMode = NonNullable<LeverageUpdate['margin_mode']>;

interface Market {
  readonly exchange_account_id: string;
  readonly trade_pair_id?: string | undefined;
  readonly symbol: string;
  /** Null if it is not known. */
  readonly leverage: string | null;
  readonly max_leverage: string | null;
  /** Undefined if it is not known. */
  readonly margin_mode?: string | undefined;
}

export interface LeverageDialogProps {
  /** A position, or an account and a perpetual. */
  readonly market: Market;
  /** The name of the account. */
  readonly account: string | undefined;
  readonly onClose: () => void;
  readonly onChanged?: (settings: LeverageSettings<'string'>) => void;
}

/** Changes the leverage, and the margin mode, of an account for a perpetual. */
export function LeverageDialog({ market, account, onClose, onChanged }: LeverageDialogProps) {
  const queries = useQueryClient();
  const [leverage, setLeverage] = useState(market.leverage ?? '');
  const [mode, setMode] = useState((market.margin_mode ?? '') as MarginMode | '');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { fields, isGeneral } = formErrorsOf(error, ['leverage', 'margin_mode']);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const settings = await api().positions.setLeverage(market.exchange_account_id, {
        trade_pair_id: market.trade_pair_id ?? '',
        leverage: leverage.trim(),
        // The exchange refuses to change the mode of an open position, so an unchanged mode is not sent.
        ...(mode === '' || mode === market.margin_mode ? {} : { margin_mode: mode }),
      });
      onChanged?.(settings);
      await queries.invalidateQueries({ queryKey: ['positions'] });
      notify({ kind: 'success', message: `The leverage of ${market.symbol} is ${settings.leverage}×.` });
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Change leverage of ${market.symbol}`}
      description={`The setting applies to the whole market${account === undefined ? '' : ` on ${account}`}. The amount of an open position stays; its margin changes.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={leverage.trim() === ''}
            onClick={() => void save()}
          >
            Change leverage
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          // The dialog may be opened from another form, which must not be submitted.
          event.stopPropagation();
          void save();
        }}
      >
        <Field
          label="Leverage"
          aside={market.max_leverage === null ? undefined : `at most ${market.max_leverage}×`}
          hint="A higher leverage needs less margin, and moves the liquidation price closer."
          error={fields.leverage}
        >
          <Input
            value={leverage}
            onChange={(event) => setLeverage(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
          />
        </Field>
        <Field
          label="Margin mode"
          hint="Most exchanges refuse a change while the position or an order of the market is open."
          error={fields.margin_mode}
        >
          <Select value={mode} onChange={(event) => setMode(event.target.value as MarginMode)}>
            {market.margin_mode === undefined && <option value="">As it is at the exchange</option>}
            <option value="CROSS">Cross: shares the account’s margin</option>
            <option value="ISOLATED">Isolated: a margin of its own</option>
          </Select>
        </Field>
        {error !== undefined && isGeneral && <FormError error={error} />}
      </form>
    </Dialog>
  );
}
