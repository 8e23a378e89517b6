'use client';
import { useTheme } from 'next-themes';
import { Toaster as Sonner, toast } from 'sonner';
import type { Notice } from '../ui/notify';

/** Above the bottom bar. */
const MOBILE_BOTTOM_PX = 68;

/** The library's own styles hide the focus of the keyboard. */
const FOCUS = 'focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-offset-2';

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
        classNames: {
          actionButton: `!bg-accent !text-white ${FOCUS}`,
          closeButton: FOCUS,
          description: '!text-muted',
        },
        className: `!rounded-card !border !border-line !bg-surface !text-text !text-sm !shadow-float ${FOCUS}`,
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
