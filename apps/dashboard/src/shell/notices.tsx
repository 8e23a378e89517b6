'use client';
/** Shows notices. The library is loaded with the first one, because most pages show none. */
import { type ComponentType, useEffect, useState } from 'react';
import { loadLate } from '../data/late-code';
import { NOTICE_EVENT, type Notice } from '../ui/notify';

export function Notices() {
  const [Toaster, setToaster] = useState<ComponentType>();
  useEffect(() => {
    const onNotice = async (event: Event) => {
      const notice = (event as CustomEvent<Notice>).detail;
      const loaded = await loadLate(() => import('./toaster'));
      setToaster(() => loaded.Toaster);
      loaded.show(notice);
    };
    window.addEventListener(NOTICE_EVENT, onNotice);
    return () => window.removeEventListener(NOTICE_EVENT, onNotice);
  }, []);
  return Toaster === undefined ? null : <Toaster />;
}
