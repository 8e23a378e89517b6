'use client';
import { Field, Input } from '../../ui/field';
import { Segmented } from '../../ui/segmented';
import { fractionOf } from './close.rules';

const SHARES = ['25', '50', '75', '100'] as const;

/** The share of a lot, in percent: one of four, or any. */
export function ShareField({
  percent,
  onChange,
}: {
  readonly percent: string;
  readonly onChange: (percent: string) => void;
}) {
  const isValid = fractionOf(percent) !== undefined;
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field
        label="Share of the lot in percent"
        className="w-48"
        error={isValid ? undefined : 'Enter a number above 0 and at most 100, such as 33.5.'}
      >
        <Input
          value={percent}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <div className={isValid ? '' : 'self-start pt-6'}>
        <Segmented
          label="Common shares"
          value={percent}
          onChange={onChange}
          options={SHARES.map((value) => ({ value, label: `${value}\u2009%` }))}
        />
      </div>
    </div>
  );
}
