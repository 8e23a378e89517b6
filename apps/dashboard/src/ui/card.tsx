import type { ReactNode } from 'react';
import { classNames } from './class-names';

export interface CardProps {
  readonly title?: ReactNode;
  /** Controls at the right of the title. */
  readonly actions?: ReactNode;
  readonly className?: string;
  /** Removes the padding of the content, for tables and charts. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** A section of a page with a border. Cards are never nested. */
export function Card({ title, actions, className, isFlush = false, children }: CardProps) {
  return (
    <section className={classNames('min-w-0 rounded-card border bg-surface', className)}>
      {(title !== undefined || actions !== undefined) && (
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 px-4 pt-3 pb-2">
          {title !== undefined && <h2 className="font-semibold text-base">{title}</h2>}
          {actions}
        </header>
      )}
      <div className={isFlush ? '' : classNames('px-4 pb-4', title === undefined && 'pt-4')}>{children}</div>
    </section>
  );
}
