import type { Problem } from './order.rules';

/** The nearest valid values, as buttons. */
export function ProblemFixes({
  problem,
  name,
  onUse,
}: {
  readonly problem: Problem | undefined;
  /** What the value is, such as "amount". */
  readonly name: string;
  readonly onUse: (value: string) => void;
}) {
  if (problem === undefined || problem.fixes.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-1.5 pt-1">
      {problem.fixes.map((value) => (
        <SmallButton key={value} label={`Use ${name} ${value}`} onClick={() => onUse(value)}>
          Use {value}
        </SmallButton>
      ))}
    </div>
  );
}

/** A button in a row of suggestions. */
export function SmallButton({
  label,
  onClick,
  children,
}: {
  readonly label?: string;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="h-[24px] rounded border bg-surface px-2 text-xs hover:bg-hover disabled:text-muted disabled:opacity-60 pointer-coarse:h-[32px]"
    >
      {children}
    </button>
  );
}
