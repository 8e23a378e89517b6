'use client';
/** Sizing and limits that hold for single pairs instead of those of the copier. */
import { Plus, X } from 'lucide-react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { Button } from '../../ui/button';
import { Field, Input, Select } from '../../ui/field';
import { useWasTrue } from '../../ui/use-was-true';
import { MODE_MEANINGS, MODE_NAMES } from './copier-words';
import { NEW_PAIR, settingsCount } from './pair-settings.rules';
import { type SettingsPart, VALUE_LABELS } from './settings-part';

export function PairSettings(props: SettingsPart) {
  const { fields, append, remove } = useFieldArray({ control: props.control, name: 'overrides' });
  const problem = props.errors.overrides?.message;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-xs">
        Sizing and limits for one pair of the strategy replace those above. An empty field keeps the one
        above. Limits of exposure, lots and losses still count all lots of the copier. Open lots keep their
        settings.
      </p>
      {fields.map(({ id }, index) => (
        <OnePair key={id} {...props} index={index} onRemove={() => remove(index)} />
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-loss text-xs">
          {problem}
        </p>
      )}
      <div>
        <Button icon={<Plus aria-hidden className="size-4" />} onClick={() => append(NEW_PAIR)}>
          Add pair
        </Button>
      </div>
    </div>
  );
}

type OnePairProps = SettingsPart & { readonly index: number; readonly onRemove: () => void };

function OnePair(props: OnePairProps) {
  const { control, errors, register, grid, index, onRemove } = props;
  const pair = useWatch({ control, name: `overrides.${index}` });
  const problems = errors.overrides?.[index];
  // A new pair opens with its fields, and one with a problem stays open when the problem is solved.
  const isOpen = useWasTrue(pair.symbol === '' || problems !== undefined);
  const name = pair.symbol.trim().toUpperCase() || 'New pair';
  const count = settingsCount(pair);
  return (
    <details className="rounded-control border" open={isOpen || undefined}>
      <summary className="flex min-h-10 cursor-pointer items-center justify-between gap-3 rounded-control px-3 text-sm">
        <span className="min-w-0 truncate font-medium">{name}</span>
        <span className="shrink-0 text-muted text-xs">
          {count === 1 ? '1 setting' : `${count === 0 ? 'No' : count} settings`}
        </span>
      </summary>
      <fieldset className="flex flex-col gap-3 border-t p-3">
        <legend className="sr-only">Settings for {name}</legend>
        <div className={grid}>
          <Field label="Pair" hint="As the strategy names it." error={problems?.symbol?.message}>
            <Input
              {...register(`overrides.${index}.symbol`)}
              placeholder="BTC/USDT"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <SizingOfPair {...props} mode={pair.mode} />
        </div>
        <LimitsOfPair {...props} />
        <div className="flex justify-end">
          <Button
            icon={<X aria-hidden className="size-4" />}
            aria-label={`Remove settings for ${name}`}
            onClick={onRemove}
          >
            Remove
          </Button>
        </div>
      </fieldset>
    </details>
  );
}

function SizingOfPair({
  register,
  errors,
  index,
  mode,
  quote,
  allowsMultiplier,
}: OnePairProps & { readonly mode: string }) {
  const problems = errors.overrides?.[index];
  return (
    <>
      <Field label="Sizing" hint={MODE_MEANINGS[mode]} error={problems?.mode?.message}>
        <Select {...register(`overrides.${index}.mode`)}>
          <option value="">As the copier</option>
          {Object.entries(MODE_NAMES).map(([name, label]) => (
            <option key={name} value={name} disabled={name === 'MULTIPLIER' && !allowsMultiplier}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {mode !== '' && (
        <Field label={VALUE_LABELS[mode] ?? `Cost in ${quote}`} error={problems?.value?.message}>
          <Input {...register(`overrides.${index}.value`)} inputMode="decimal" autoComplete="off" />
        </Field>
      )}
      {mode === 'EQUITY_RATIO' && (
        <Field label={`Capital in ${quote}`} aside="Optional" error={problems?.capital?.message}>
          <Input {...register(`overrides.${index}.capital`)} inputMode="decimal" autoComplete="off" />
        </Field>
      )}
    </>
  );
}

const LIMITS = [
  ['max_trade_quote', 'Maximum cost of an entry', 'quote'],
  ['max_open_quote', 'Maximum open exposure', 'quote'],
  ['max_daily_loss_quote', 'Maximum daily loss', 'quote'],
  ['max_drawdown_percent', 'Maximum drawdown, in percent', 'number'],
  ['max_open_trades', 'Maximum open lots', 'number'],
  ['max_slippage_bps', 'Maximum slippage, in basis points', 'number'],
  ['max_signal_age_s', 'Maximum age of a signal, in seconds', 'number'],
  ['max_leverage', 'Maximum leverage', 'leverage'],
  ['min_margin_ratio', 'Minimum margin ratio', 'leverage'],
] as const;

function LimitsOfPair({ register, errors, index, quote, hasLeverage, grid }: OnePairProps) {
  const problems = errors.overrides?.[index];
  return (
    <div className={grid}>
      {LIMITS.filter(([, , kind]) => kind !== 'leverage' || hasLeverage).map(([name, label, kind]) => (
        <Field
          key={name}
          label={kind === 'quote' ? `${label}, in ${quote}` : label}
          error={problems?.[name]?.message}
        >
          <Input
            {...register(`overrides.${index}.${name}`)}
            placeholder="As the copier"
            inputMode="decimal"
            autoComplete="off"
          />
        </Field>
      ))}
      <Field label="Allowed sides" error={problems?.allowed_sides?.message}>
        <Select {...register(`overrides.${index}.allowed_sides`)}>
          <option value="">As the copier</option>
          <option value="BOTH">Buys and sells</option>
          <option value="BUY">Buys only</option>
          <option value="SELL">Sells only</option>
        </Select>
      </Field>
    </div>
  );
}
