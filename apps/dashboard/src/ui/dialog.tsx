'use client';
import type { DialogProps } from './dialog-frame';
import { onDemand } from './on-demand';
import { useWasTrue } from './use-was-true';

const Frame = onDemand(() => import('./dialog-frame').then((module) => module.DialogFrame));

/** A question or a short form. The focus returns to what opened it. It is loaded when it opens first. */
export function Dialog(props: DialogProps) {
  return useWasTrue(props.isOpen) ? <Frame {...props} /> : null;
}
