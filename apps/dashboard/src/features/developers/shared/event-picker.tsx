'use client';
import { api } from '../../../data/api';
import { type LATE, useQuery } from '../../../data/query';
import { Checkbox } from '../../../ui/field';
import { ScrollRegion } from '../../../ui/scroll-region';
import { TableSkeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { wordsOf } from '../../../ui/status';
import { isChosen, isPartlyChosen, subjectsOf, toggled } from './event-selectors.rules';

/**
 * The event types with their descriptions, schemas and samples. They change only with a release.
 *
 * @param meta `LATE` for a page that does not show them at first
 */
export function useEventTypes(meta?: typeof LATE) {
  return useQuery({
    queryKey: ['events', 'types'],
    queryFn: ({ signal }) => api().events.types({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    meta,
  });
}

export interface EventPickerProps {
  /** Selectors of the API: types, `trade.*`, or `*`. */
  readonly value: readonly string[];
  readonly onChange: (selectors: readonly string[]) => void;
  readonly error?: string | undefined;
}

/** Chooses event types, grouped by subject. */
export function EventPicker({ value, onChange, error }: EventPickerProps) {
  const types = useEventTypes();
  const isAll = value.includes('*');
  const kinds = types.data?.types ?? [];
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1.5 font-medium text-sm">Events</legend>
      {kinds.length > 0 && !isAll && (
        <p role="status" className="text-muted text-xs">
          {kinds.filter(({ type }) => isChosen(value, type)).length} of {kinds.length} event types chosen
        </p>
      )}
      <Checkbox
        checked={isAll}
        onChange={(event) => onChange(event.target.checked ? ['*'] : [])}
        label="All events"
        hint="Includes types that a later release adds."
      />
      {!isAll && types.isPending && <TableSkeleton rows={4} />}
      {!isAll && types.isError && <ErrorState error={types.error} onRetry={() => void types.refetch()} />}
      {!isAll && types.data !== undefined && (
        <ScrollRegion
          label="Event types"
          className="flex max-h-64 flex-col gap-4 overflow-y-auto rounded-card border p-3 -outline-offset-2"
        >
          {subjectsOf(types.data.types).map(({ subject, types: members }) => (
            <div key={subject} className="flex flex-col gap-2">
              <Checkbox
                ref={(input) => {
                  if (input !== null) input.indeterminate = isPartlyChosen(value, subject);
                }}
                checked={value.includes(`${subject}.*`)}
                onChange={() => onChange(toggled(value, `${subject}.*`))}
                label={<span className="font-medium">{wordsOf(subject)}: all</span>}
              />
              {members.map(({ type, description }) => (
                <div key={type} className="pl-6">
                  <Checkbox
                    checked={isChosen(value, type)}
                    disabled={value.includes(`${subject}.*`)}
                    onChange={() => onChange(toggled(value, type))}
                    label={<code className="font-mono text-xs">{type}</code>}
                    hint={description}
                  />
                </div>
              ))}
            </div>
          ))}
        </ScrollRegion>
      )}
      {error !== undefined && <p className="text-loss text-xs">{error}</p>}
    </fieldset>
  );
}
