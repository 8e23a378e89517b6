'use client';
import { useState } from 'react';
import { CopyButton } from './copyable';
import { ScrollRegion } from './scroll-region';

/** A record as the API sends it. */
export function JsonView({ value, title = 'JSON' }: { readonly value: unknown; readonly title?: string }) {
  const [isOpen, setOpen] = useState(false);
  const text = JSON.stringify(value, null, 2);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="text-sm">
      <summary className="font-medium">{title}</summary>
      {isOpen && (
        <div className="pt-2">
          <ScrollRegion label={title} className="max-h-96 overflow-auto rounded-card border bg-hover p-3">
            <pre className="font-mono text-xs">{text}</pre>
          </ScrollRegion>
          <CopyButton text={text} label="Copy the JSON" />
        </div>
      )}
    </details>
  );
}
