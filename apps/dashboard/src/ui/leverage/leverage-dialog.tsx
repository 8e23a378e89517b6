'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { LeverageUpdate } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { formErrorsOf } from '../../data/form-errors';
import type { PositionRow } from '../../data/perpetual-positions';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Input, Select } from '../../ui/field';
import { FormError } from '../../ui/form-error';
import { notify } from '../../ui/notify';

type MarginMode = NonNullable<LeverageUpdate['margin_mode']>;

export interface LeverageDialogProps {
  readonly position: PositionRow;
  readonly account: string | undefined;
  readonly onClose: () => void;
}

/** Changes the leverage, and the margin mode, of an account for the market of a position. */
export function LeverageDialog({ position, account, onClose }: LeverageDialogProps) {
  const queries = useQueryClient();
  const [leverage, setLeverage] = useState(position.leverage ?? '');
  const [mode, setMode] = useState(position.margin_mode as MarginMode);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { fields, isGeneral } = formErrorsOf(error, ['leverage', 'margin_mode']);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const settings = await api().positions.setLeverage(position.exchange_account_id, {
        trade_pair_id: position.trade_pair_id ?? '',
        leverage: leverage.trim(),
        // The exchange refuses to change the mode of an open position, so an unchanged mode is not sent.
        ...(mode === position.margin_mode ? {} : { margin_mode: mode }),
      });
      await queries.invalidateQueries({ queryKey: ['positions'] });
      notify({ kind: 'success', message: `The leverage of ${position.symbol} is ${settings.leverage}×.` });
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
      title={`Change leverage of ${position.symbol}`}
      description={`The setting applies to the whole market${account === undefined ? '' : ` on ${account}`}. The amount of the position stays; its margin changes.`}
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
          void save();
        }}
      >
        <Field
          label="Leverage"
          aside={position.max_leverage === null ? undefined : `at most ${position.max_leverage}×`}
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
            <option value="CROSS">Cross: all positions share the margin of the account</option>
            <option value="ISOLATED">Isolated: the position has a margin of its own</option>
          </Select>
        </Field>
        {error !== undefined && isGeneral && <FormError error={error} />}
      </form>
    </Dialog>
  );
}
