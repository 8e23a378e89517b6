'use client';
import { useState } from 'react';

/** Returns whether a value is or was true, so that what it once opened stays for its closing. */
export function useWasTrue(value: boolean): boolean {
  const [wasTrue, setWasTrue] = useState(value);
  if (value && !wasTrue) setWasTrue(true);
  return wasTrue;
}
