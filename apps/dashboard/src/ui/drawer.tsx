'use client';
import { useState } from 'react';
import type { DrawerProps } from './drawer-frame';
import { onDemand } from './on-demand';

const Frame = onDemand(() => import('./drawer-frame').then((module) => module.DrawerFrame));

/** The details of a record beside its list; a sheet over the whole width on narrow screens. It is loaded when it opens first. */
export function Drawer(props: DrawerProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return wasOpened ? <Frame {...props} /> : null;
}
