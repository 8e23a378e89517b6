'use client';
import type { Control, FieldErrors, UseFormRegister } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import { useExchangeNames } from '../../data/exchange-names';
import { useAccounts } from '../../data/names';
import { Checkbox, Field, Input, Select, TextArea } from '../../ui/field';
import { profitShareOf1000 } from './performance.rules';
import type { StrategyValues } from './strategy-form.rules';

export interface StrategyFieldsProps {
  readonly register: UseFormRegister<StrategyValues>;
  readonly control: Control<StrategyValues>;
  readonly errors: FieldErrors<StrategyValues>;
  /** The account of a strategy cannot be changed later. */
  readonly hasAccount: boolean;
}

/** The fields of a strategy: to create it, and to edit it. */
export function StrategyFields(props: StrategyFieldsProps) {
  const { register, errors, hasAccount } = props;
  return (
    <div className="flex flex-col gap-4">
      <Field label="Name" error={errors.name?.message}>
        <Input {...register('name')} autoComplete="off" />
      </Field>
      {hasAccount && <AccountField {...props} />}
      <Field
        label="Description"
        aside="Optional"
        hint="What the strategy trades and when, for those who may copy it."
        error={errors.description?.message}
      >
        <TextArea {...register('description')} />
      </Field>
      <Field
        label="Pairs"
        aside="Optional"
        hint="Symbols, separated by commas, such as BTC/USDT, ETH/USDT. Leave it empty for any pair of the exchange."
        error={errors.symbols?.message}
      >
        <Input {...register('symbols')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        label="Visibility"
        hint="Public: everyone can see its returns and copy it. Balances, amounts and the account stay hidden."
        error={errors.visibility?.message}
      >
        <Select {...register('visibility')}>
          <option value="PRIVATE">Private: only you</option>
          <option value="PUBLIC">Public: listed on Discover</option>
        </Select>
      </Field>
      <CopyTerms {...props} />
    </div>
  );
}

function AccountField({ register, errors }: StrategyFieldsProps) {
  const accounts = useAccounts();
  const exchangeName = useExchangeNames();
  return (
    <Field
      label="Account"
      hint="Its trades with this strategy are the signals. It cannot be changed later."
      error={errors.exchange_account_id?.message}
    >
      <Select {...register('exchange_account_id')}>
        <option value="">{accounts.isPending ? 'Loading accounts' : 'Choose an account'}</option>
        {accounts.data?.map(({ id, account_name, exchange_name, trading_type }) => (
          <option key={id} value={id}>
            {account_name} ({exchangeName(exchange_name)}, {trading_type})
          </option>
        ))}
      </Select>
    </Field>
  );
}

function CopyTerms({ register, control, errors }: StrategyFieldsProps) {
  const [hasShare, percent] = useWatch({ control, name: ['hasShare', 'sharePercent'] });
  return (
    <fieldset className="flex flex-col gap-4 border-t pt-4">
      <legend className="sr-only">Terms for copiers</legend>
      <Checkbox
        {...register('hasShare')}
        label="Charge a profit share"
        hint="A part of what a copier earns above its highest result so far. A copier without profit pays nothing."
      />
      {hasShare && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Rate in percent"
            hint={exampleOf(percent)}
            error={errors.sharePercent?.message?.replace('0.5', '50 %')}
          >
            <Input {...register('sharePercent')} inputMode="decimal" />
          </Field>
          <Field label="Settled" error={errors.sharePeriod?.message}>
            <Select {...register('sharePeriod')}>
              <option value="WEEK">Each week</option>
              <option value="MONTH">Each month</option>
              <option value="QUARTER">Each quarter</option>
            </Select>
          </Field>
        </div>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Minimum equity of a copier"
          aside="Optional"
          hint="In quote currency, such as 500."
          error={errors.min_copy_equity?.message}
        >
          <Input {...register('min_copy_equity')} inputMode="decimal" />
        </Field>
        <Field
          label="Maximum copiers"
          aside="Optional"
          hint="More copiers wait for worse prices."
          error={errors.capacity?.message}
        >
          <Input {...register('capacity')} inputMode="numeric" />
        </Field>
      </div>
      <Checkbox
        {...register('allow_multiplier')}
        label="Allow the sizing mode Multiplier"
        hint="A multiple of your amounts shows copiers the amounts that you trade."
      />
    </fieldset>
  );
}

function exampleOf(percent: string): string {
  if (!/^\d+(\.\d+)?$/.test(percent) || Number(percent) > 50) return 'From 0 to 50.';
  const share = profitShareOf1000(String(Number(percent) / 100));
  return `For a copier's profit of 1,000 USDT you get tokens worth up to ${share} USDT. The copier pays nothing.`;
}
