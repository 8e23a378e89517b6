'use client';
import { Client } from '@trading-automation/sdk';
import { useEffect, useState } from 'react';

/** Calls the API from the browser. The URL fragment of the page contains the address and the key. */
export function TradeCount() {
  const [count, setCount] = useState('…');
  useEffect(() => {
    const { baseURL, apiKey } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    new Client({ baseURL, apiKey }).trades
      .list()
      .toArray({ limit: 10 })
      .then(
        (trades) => setCount(String(trades.length)),
        (error) => setCount(error.message),
      );
  }, []);
  return <output>{count}</output>;
}
