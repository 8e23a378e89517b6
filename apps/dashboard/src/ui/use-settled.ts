'use client';
import { useEffect, useState } from 'react';

/** About the time between two keys of a person who types. */
const SETTLED_MS = 200;

/** Returns the value once it has stopped changing, so that not each typed character sends a request. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
