import { Time } from './values';

export interface TimelineStep {
  readonly label: string;
  /** Missing: the step has not happened. */
  readonly at: string | null | undefined;
}

/** What has happened to a record, in order of time. */
export function Timeline({ steps }: { readonly steps: readonly TimelineStep[] }) {
  const happened = steps.filter((step): step is { label: string; at: string } => Boolean(step.at));
  return (
    <ol className="flex flex-col text-sm">
      {happened.map(({ label, at }, i) => (
        <li key={label} className="relative flex items-center justify-between gap-4 py-1.5 pl-5">
          <span aria-hidden className="absolute top-3 left-0.5 size-2 rounded-full bg-accent" />
          {i < happened.length - 1 && (
            <span aria-hidden className="absolute top-5 left-1 h-full w-px bg-line" />
          )}
          {label}
          <span className="text-muted">
            <Time at={at} isExact />
          </span>
        </li>
      ))}
    </ol>
  );
}
