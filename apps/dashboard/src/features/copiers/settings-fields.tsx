'use client';
/** How much a copier copies, and where it stops. */
import type { UseFormRegister } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import { Field, Input, Select, TextArea } from '../../ui/field';
import { useWasTrue } from '../../ui/use-was-true';
import type { CopierValues } from './copier-form.rules';
import { BELOW_MINIMUM_WORDS, BREACH_WORDS, MODE_MEANINGS, MODE_NAMES } from './copier-words';
import { PairSettings } from './pair-settings';
import { type SettingsFieldsProps, type SettingsPart, VALUE_LABELS } from './settings-part';
import { SizingExample } from './sizing-example';

type Part = SettingsPart;

export function SettingsFields(props: SettingsFieldsProps) {
  const grid = props.isNarrow ? 'grid gap-3' : 'grid gap-3 sm:grid-cols-2';
  const part = { ...props, grid };
  const { quote_aliases: groups, symbol_map: map, overrides } = props.errors;
  // A section opens with a problem in it, and stays open when the problem is solved.
  const showsProblem = useWasTrue(groups !== undefined || map !== undefined);
  const showsPairProblem = useWasTrue(overrides !== undefined);
  return (
    <div className="flex flex-col gap-5">
      <Field label="Name of the copier" error={props.errors.name?.message}>
        <Input {...props.register('name')} autoComplete="off" />
      </Field>
      <Sizing {...part} />
      <MoneyLimits {...part} />
      <details className="group border-t pt-4">
        <summary className="w-fit rounded font-medium text-sm">Further limits</summary>
        <div className="pt-3">
          <FurtherLimits {...part} />
        </div>
      </details>
      <details className="group border-t pt-4" open={showsProblem || undefined}>
        <summary className="w-fit rounded font-medium text-sm">Other exchanges</summary>
        <div className="pt-3">
          <OtherExchanges {...part} />
        </div>
      </details>
      <details className="group border-t pt-4" open={showsPairProblem || undefined}>
        <summary className="w-fit rounded font-medium text-sm">Single pairs</summary>
        <div className="pt-3">
          <PairSettings {...part} />
        </div>
      </details>
    </div>
  );
}

function Sizing({ register, control, errors, quote, equity, allowsMultiplier, grid }: Part) {
  const [mode, value, capital, limit] = useWatch({
    control,
    name: ['mode', 'value', 'capital', 'max_trade_quote'],
  });
  return (
    <fieldset className="flex flex-col gap-3 border-t pt-4">
      <legend className="float-left w-full font-medium text-sm">How much each entry buys</legend>
      <div className={grid}>
        <Field label="Sizing" hint={MODE_MEANINGS[mode]} error={errors.mode?.message}>
          <Select {...register('mode')}>
            {Object.entries(MODE_NAMES).map(([name, label]) => (
              <option key={name} value={name} disabled={name === 'MULTIPLIER' && !allowsMultiplier}>
                {label}
                {name === 'MULTIPLIER' && !allowsMultiplier ? ' (not allowed by the owner)' : ''}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={VALUE_LABELS[mode] ?? `Cost in ${quote}`} error={errors.value?.message}>
          <Input {...register('value')} inputMode="decimal" autoComplete="off" />
        </Field>
        {mode === 'EQUITY_RATIO' && (
          <Field
            label={`Capital in ${quote}`}
            aside="Optional"
            hint="Counts as your equity, so that the copier uses only a part of the account."
            error={errors.capital?.message}
          >
            <Input {...register('capital')} inputMode="decimal" autoComplete="off" />
          </Field>
        )}
      </div>
      <SizingExample
        settings={{ mode, value, capital, max_trade_quote: limit }}
        equity={equity}
        quote={quote}
      />
    </fieldset>
  );
}

function MoneyLimits({ register, errors, quote, grid }: Part) {
  return (
    <fieldset className="flex flex-col gap-3 border-t pt-4">
      <legend className="float-left w-full font-medium text-sm">
        Limits
        <span className="block pt-0.5 font-normal text-muted text-xs">
          They apply to entries. Exits of the strategy are always copied. An empty field sets no limit.
        </span>
      </legend>
      <div className={grid}>
        <Field
          label={`Maximum cost of an entry, in ${quote}`}
          hint="A larger entry is reduced to this cost."
          error={errors.max_trade_quote?.message}
        >
          <Input {...register('max_trade_quote')} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field
          label={`Maximum open exposure, in ${quote}`}
          hint="Cost of all open lots. An entry that would exceed it is reduced."
          error={errors.max_open_quote?.message}
        >
          <Input {...register('max_open_quote')} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field
          label={`Maximum daily loss, in ${quote}`}
          hint="Counted from 00:00 UTC, realised and open."
          error={errors.max_daily_loss_quote?.message}
        >
          <Input {...register('max_daily_loss_quote')} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field
          label="Maximum drawdown, in percent"
          hint="Fall of the result from its peak."
          error={errors.max_drawdown_percent?.message}
        >
          <Input {...register('max_drawdown_percent')} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field
          label="When a loss limit is reached"
          hint="It starts again only when you start it."
          error={errors.on_breach?.message}
        >
          <Options register={register('on_breach')} options={BREACH_WORDS} />
        </Field>
      </div>
    </fieldset>
  );
}

function Options({
  register,
  options,
}: {
  readonly register: ReturnType<UseFormRegister<CopierValues>>;
  readonly options: Readonly<Record<string, string>>;
}) {
  return (
    <Select {...register}>
      {Object.entries(options).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}

function FurtherLimits({ register, errors, hasLeverage, grid }: Part) {
  return (
    <div className={grid}>
      <Field
        label="Maximum slippage, in basis points"
        hint="50 bps are 0.5 %. Entries at a worse price are not filled."
        error={errors.max_slippage_bps?.message}
      >
        <Input {...register('max_slippage_bps')} inputMode="numeric" autoComplete="off" />
      </Field>
      <Field
        label="Maximum age of a signal, in seconds"
        hint="Older entries are skipped, such as after an outage."
        error={errors.max_signal_age_s?.message}
      >
        <Input {...register('max_signal_age_s')} inputMode="decimal" autoComplete="off" />
      </Field>
      <Field label="Maximum open lots" error={errors.max_open_trades?.message}>
        <Input {...register('max_open_trades')} inputMode="numeric" autoComplete="off" />
      </Field>
      <Field label="Allowed sides" error={errors.allowed_sides?.message}>
        <Options
          register={register('allowed_sides')}
          options={{ '': 'Buys and sells', BUY: 'Buys only', SELL: 'Sells only' }}
        />
      </Field>
      <Field label="Allowed pairs" hint="Symbols, separated by commas." error={errors.allowed_pairs?.message}>
        <Input {...register('allowed_pairs')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field label="Blocked pairs" hint="Symbols, separated by commas." error={errors.blocked_pairs?.message}>
        <Input {...register('blocked_pairs')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        label="A copy below the exchange's minimum"
        hint="An exchange refuses orders that are too small."
        error={errors.below_minimum?.message}
      >
        <Options register={register('below_minimum')} options={BELOW_MINIMUM_WORDS} />
      </Field>
      {hasLeverage && (
        <Field label="Maximum leverage" error={errors.max_leverage?.message}>
          <Input {...register('max_leverage')} inputMode="decimal" autoComplete="off" />
        </Field>
      )}
      {hasLeverage && (
        <Field
          label="Minimum margin ratio"
          hint="Margin ÷ maintenance margin of the account. Below it, entries are not copied. Without a value: 1.5."
          error={errors.min_margin_ratio?.message}
        >
          <Input {...register('min_margin_ratio')} inputMode="decimal" autoComplete="off" />
        </Field>
      )}
    </div>
  );
}

function OtherExchanges({ register, errors, grid }: Part) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-xs">
        The copier uses the pair with the same symbol. These settings help where its exchange has other pairs
        than that of the strategy. Prices are not converted. Open lots keep their pair.
      </p>
      <div className={grid}>
        <Field
          label="Quote currencies that count as the same"
          aside="Optional"
          hint="A group on each line, such as USDT, USDC. The first one that the exchange has is used."
          error={errors.quote_aliases?.message}
        >
          <TextArea {...register('quote_aliases')} rows={3} autoComplete="off" spellCheck={false} />
        </Field>
        <Field
          label="Pairs to use instead"
          aside="Optional"
          hint="A pair of the strategy and yours on each line, such as BTC/USDT = BTC/USDC."
          error={errors.symbol_map?.message}
        >
          <TextArea {...register('symbol_map')} rows={3} autoComplete="off" spellCheck={false} />
        </Field>
      </div>
    </div>
  );
}
