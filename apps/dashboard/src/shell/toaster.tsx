'use client';
import { useTheme } from 'next-themes';
import { Toaster as Sonner, toast } from 'sonner';
import type { Notice } from '../ui/notify';

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
      // A toast takes the focus of the keyboard, which its own style hides.
      className="!font-sans"
      toastOptions={{
        classNames: { actionButton: '!bg-accent !text-white', description: '!text-muted' },
        className:
          'focus-visible:!outline-2 focus-visible:!outline-accent !rounded-card !border !border-line !bg-surface !text-text !text-sm !shadow-float',
      }}
    />
  );
}

export function show({ message, kind, description, action, durationMs }: Notice): void {
  const options = {
    ...(description === undefined ? {} : { description }),
    ...(action === undefined ? {} : { action, closeButton: true }),
    ...(durationMs === undefined ? {} : { duration: durationMs }),
  };
  if (kind === undefined) toast(message, options);
  else toast[kind](message, options);
}
