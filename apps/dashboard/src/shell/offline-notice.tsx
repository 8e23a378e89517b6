'use client';
import { useSyncExternalStore } from 'react';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}

/** Says that the browser is offline, so that what is on screen is old and nothing can be sent. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status">
      {!isOnline && (
        <p className="border-warn-line border-b bg-warn-soft px-4 py-1.5 text-sm md:px-6">
          This browser is offline. What you see may be old; it is loaded again when you are back online.
        </p>
      )}
    </div>
  );
}
