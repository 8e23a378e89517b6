import type { CSSProperties, ReactNode } from 'react';

export interface ScrollRegionProps {
  readonly label: string;
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/** A part of a page that scrolls. It can be focused, so that it scrolls by keyboard. */
export function ScrollRegion({ label, className = 'overflow-auto', style, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className={className} style={style}>
      {children}
    </section>
  );
}
