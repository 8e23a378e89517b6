'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { DrawerProps } from './drawer-frame';

const Frame = dynamic(() => import('./drawer-frame').then((module) => module.DrawerFrame), { ssr: false });

/** The details of a record beside its list; a sheet over the whole width on narrow screens. It is loaded when it opens first. */
export function Drawer(props: DrawerProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return wasOpened ? <Frame {...props} /> : null;
}
