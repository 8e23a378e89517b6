'use client';
import {
  type ComponentType,
  lazy,
  memo,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { loadLate } from '../data/late-code';
import { MissingCode } from './missing-code';

/**
 * Makes a component whose code is loaded when it is shown first, so that a page does not wait for what it shows later or
 * never. `next/dynamic` does the same with more code in every page.
 *
 * @param load imports the component
 * @param waiting what is shown meanwhile, in the size of the component
 * @param missing what is shown if the code cannot be loaded
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = null,
  missing: ReactNode = <MissingCode className="w-fit rounded-card border" />,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({
    default: await loadLate(load).catch((): ComponentType<Props> => () => missing),
  }));
  // Rendered again without its code, what the server sent would be replaced by the skeleton, and with it what a person typed.
  // So until it reacts, equal properties are no change, and changed ones wait.
  return memo(function OnDemand(props: Props) {
    const isFromServer = useSyncExternalStore(subscribeToNothing, never, always);
    const [first] = useState(isFromServer ? props : undefined);
    const [hasReacted, setReacted] = useState(false);
    const shown = first === undefined || hasReacted ? props : first;
    return useMemo(
      () => (
        <Suspense fallback={waiting}>
          <Loaded {...shown} />
          <AfterMount onMount={setReacted} />
        </Suspense>
      ),
      [shown],
    );
  }) as unknown as ComponentType<Props>;
}

const never = () => false;
const always = () => true;
const subscribeToNothing = () => () => {};

/** Calls `onMount` when the part around it reacts. */
function AfterMount({ onMount }: { readonly onMount: (isMounted: true) => void }): null {
  useEffect(() => onMount(true), [onMount]);
  return null;
}
