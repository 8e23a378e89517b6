import type { ReactNode } from 'react';

export interface PageHeaderProps {
  readonly title: ReactNode;
  /** One sentence, or states beside the title. */
  readonly description?: ReactNode;
  /** The primary action, last. */
  readonly actions?: ReactNode;
}

/** The title of a page and its one primary action. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-3 pb-5">
      <div className="min-w-0">
        <h1 className="flex flex-wrap items-center gap-2 font-semibold text-xl">{title}</h1>
        {description !== undefined && <div className="pt-0.5 text-muted text-sm">{description}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
