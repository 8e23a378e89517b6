'use client';
import { Client } from '@trading-automation/sdk';
import { useEffect, useState } from 'react';

/** Calls the API from the browser: its address and its key stand in the page's own address. */
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
