'use client';
import { parseAsString, useQueryState } from 'nuqs';

/** Whether the dialog that creates a record is open; `?new=1` opens it. */
export function useNew(): readonly [boolean, (isOpen: boolean) => void] {
  const [value, setValue] = useQueryState('new', parseAsString);
  return [value !== null, (isOpen) => void setValue(isOpen ? '1' : null)];
}
