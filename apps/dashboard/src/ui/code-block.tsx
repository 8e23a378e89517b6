'use client';
import { CopyButton } from './copyable';
import { ScrollRegion } from './scroll-region';

export interface CodeBlockProps {
  /** What the code is, for screen readers. */
  readonly label: string;
  readonly code: string;
  /** Shown above the code, such as the name of a language. */
  readonly title?: string;
  readonly className?: string;
  /** Wraps long lines instead of scrolling them. */
  readonly isWrapped?: boolean;
}

/** Code or another text of fixed width, always shown as plain text, with a button that copies it. */
export function CodeBlock({ label, code, title, className = 'max-h-80', isWrapped = false }: CodeBlockProps) {
  return (
    <div className="min-w-0 overflow-hidden rounded-card border bg-hover">
      <div className="flex h-8 items-center justify-between gap-2 border-b pr-1 pl-3">
        <span className="truncate text-muted text-xs">{title ?? label}</span>
        <CopyButton text={code} label={`Copy: ${label}`} />
      </div>
      <ScrollRegion label={label} className={`overflow-auto p-3 -outline-offset-2 ${className}`}>
        <pre className={`font-mono text-xs ${isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : ''}`}>
          {code}
        </pre>
      </ScrollRegion>
    </div>
  );
}
