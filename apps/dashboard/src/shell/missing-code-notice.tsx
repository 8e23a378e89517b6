'use client';
import { useSyncExternalStore } from 'react';
import { onMissingCode, wasCodeMissing } from '../data/late-code';
import { MissingCode } from '../ui/missing-code';

/** Says that a part of the page could not be loaded, above everything: what failed may have been asked for in a dialog. */
export function MissingCodeNotice() {
  const isMissing = useSyncExternalStore(onMissingCode, wasCodeMissing, () => false);
  return (
    <div role="alert" aria-live="assertive" className="pointer-events-auto sticky top-14 z-60">
      {isMissing && <MissingCode className="border-b md:px-6" />}
    </div>
  );
}
