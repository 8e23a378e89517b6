'use client';
import { Field, Input } from '../../../ui/field';

export interface LocalRange {
  /** In the form of an input: YYYY-MM-DDTHH:mm, in the time zone of the browser. */
  readonly from: string;
  readonly to: string;
}

/** Formats a time for an input of date and time. */
export function localInput(ms: number): string {
  const shifted = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Returns the range as the API reads it; a limit that is empty is left out. */
export const rangeOf = ({ from, to }: LocalRange): { from?: string; to?: string } => ({
  ...(from === '' ? {} : { from: new Date(from).toISOString() }),
  ...(to === '' ? {} : { to: new Date(to).toISOString() }),
});

export const isEmptyRange = ({ from, to }: LocalRange) => from !== '' && to !== '' && from >= to;

export interface RangeFieldsProps {
  readonly range: LocalRange;
  readonly onChange: (range: LocalRange) => void;
  /** Which time of a record the range selects. */
  readonly counted: string;
  readonly isDisabled?: boolean;
}

const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Chooses a time range in the time zone of the browser. It is shown in a dialog, so never rendered by the server. */
export function RangeFields({ range, onChange, counted, isDisabled = false }: RangeFieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="From">
        <Input
          type="datetime-local"
          disabled={isDisabled}
          value={range.from}
          onChange={(event) => onChange({ ...range, from: event.target.value })}
        />
      </Field>
      <Field
        label="To"
        error={isEmptyRange(range) ? 'The end must be later than the start. Choose a later end.' : undefined}
      >
        <Input
          type="datetime-local"
          disabled={isDisabled}
          value={range.to}
          onChange={(event) => onChange({ ...range, to: event.target.value })}
        />
      </Field>
      <p className="text-muted text-xs sm:col-span-2">
        {counted} Time zone: {browserZone()}.
      </p>
    </div>
  );
}
