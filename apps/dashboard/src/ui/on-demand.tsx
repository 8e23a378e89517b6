'use client';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

/**
 * Makes a component whose code is loaded when it is shown first, so that a page does not wait for what it shows later or
 * never. `next/dynamic` does the same with more code in every page.
 *
 * @param load imports the component
 * @param waiting what is shown meanwhile, in the size of the component
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = null,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function OnDemand(props: Props) {
    return (
      <Suspense fallback={waiting}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
