'use client';
import { useTheme } from 'next-themes';
import { Toaster as Sonner } from 'sonner';

/** Above the bottom bar. */
const MOBILE_BOTTOM_PX = 68;

/** Short confirmations of what the page does not show anyway. */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      mobileOffset={{ bottom: MOBILE_BOTTOM_PX }}
      className="!font-sans"
      toastOptions={{
        classNames: { actionButton: '!bg-accent !text-white', description: '!text-muted' },
        className: '!rounded-card !border !border-line !bg-surface !text-text !text-sm !shadow-float',
      }}
    />
  );
}
