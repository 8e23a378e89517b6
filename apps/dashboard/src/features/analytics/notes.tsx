'use client';
import type { Figures } from '../../data/analytics';

/** What limits the figures. */
export function Notes({ figures }: { readonly figures: Figures }) {
  const { currency, excluded_quotes, fees_incomplete, low_sample, sample_days, unmatched_fill_count } =
    figures;
  const notes = [
    ...excluded_quotes.map(
      (excluded) =>
        `The totals are in ${currency ?? 'one currency'}. ${excluded.fill_count} fills in ${excluded.currency} are not included.`,
    ),
    ...(fees_incomplete ? ['A fee in a third asset has no known price yet and is not included.'] : []),
    ...(low_sample && sample_days > 0
      ? [
          `The range has ${sample_days} trading ${sample_days === 1 ? 'day' : 'days'}. Ratios need at least 30.`,
        ]
      : []),
    ...(unmatched_fill_count > 0
      ? [
          `${unmatched_fill_count} fills sold more than was bought here. Their result is unknown and is not included.`,
        ]
      : []),
  ];
  if (notes.length === 0) return null;
  return (
    <ul className="flex list-disc flex-col gap-1 rounded-card border bg-surface py-2.5 pr-4 pl-8 text-muted text-sm">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
