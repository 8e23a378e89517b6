'use client';
import { useTheme } from 'next-themes';
import { Toaster as Sonner } from 'sonner';

/** Short confirmations of what the page does not show anyway. */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      toastOptions={{
        className: '!rounded-card !border !border-line !bg-surface !text-text !text-sm !shadow-float',
      }}
    />
  );
}
