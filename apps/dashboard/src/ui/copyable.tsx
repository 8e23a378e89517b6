'use client';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

/** Shortens an id in the middle; the copy button copies all of it. */
export function shortId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 9)}…${id.slice(-5)}`;
}

/** An id or key with a button that copies it. `isShort` shows its beginning and end. */
export function Copyable({
  text,
  label,
  isShort = false,
}: {
  readonly text: string;
  readonly label?: string;
  readonly isShort?: boolean;
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate font-mono text-xs" title={text}>
        {isShort ? shortId(text) : text}
      </code>
      <CopyButton text={text} label={`Copy ${label ?? text}`} />
    </span>
  );
}

/** Copies a string; the icon confirms it. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      className="inline-grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-text"
    >
      <Icon aria-hidden className="size-3.5" />
    </button>
  );
}
