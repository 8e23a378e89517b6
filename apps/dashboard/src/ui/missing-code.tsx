'use client';
import { MISSING_CODE } from '../data/late-code';

/** Says that code could not be loaded, with the way out. */
export function MissingCode({ className = '' }: { readonly className?: string }) {
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 border-warn-line bg-warn-soft px-4 py-1.5 text-sm ${className}`}
    >
      {MISSING_CODE}
      <button
        type="button"
        onClick={() => window.location.reload()}
        className="min-h-6 text-accent-text underline"
      >
        Reload page
      </button>
    </p>
  );
}
