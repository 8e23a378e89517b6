import { useEffect, useState } from 'react';
import { useLive } from './live';
import type { LiveBook } from './live-connection';

/** Returns the live book of a pair; undefined until it arrives. Changes at most ten times a second. */
export function useLiveBook(pairId: string | undefined): LiveBook | undefined {
  const { showBook } = useLive();
  const [book, setBook] = useState<LiveBook>();
  useEffect(() => {
    if (pairId === undefined) return;
    const hide = showBook(pairId, (next) => {
      if (next.trade_pair_id === pairId) setBook(next);
    });
    return () => {
      hide();
      setBook(undefined);
    };
  }, [pairId, showBook]);
  return book;
}
