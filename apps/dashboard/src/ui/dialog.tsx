'use client';
import { useState } from 'react';
import type { DialogProps } from './dialog-frame';
import { onDemand } from './on-demand';

const Frame = onDemand(() => import('./dialog-frame').then((module) => module.DialogFrame));

/** A question or a short form. The focus returns to what opened it. It is loaded when it opens first. */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return wasOpened ? <Frame {...props} /> : null;
}
