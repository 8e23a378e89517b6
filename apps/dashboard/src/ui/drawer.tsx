'use client';
import type { DrawerProps } from './drawer-frame';
import { onDemand } from './on-demand';
import { useWasTrue } from './use-was-true';

const Frame = onDemand(() => import('./drawer-frame').then((module) => module.DrawerFrame));

/** The details of a record beside its list; a sheet over the whole width on narrow screens. It is loaded when it opens first. */
export function Drawer(props: DrawerProps) {
  return useWasTrue(props.isOpen) ? <Frame {...props} /> : null;
}
