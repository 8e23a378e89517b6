'use client';

/** A short confirmation of what the page does not show anyway. */
export interface Notice {
  readonly message: string;
  readonly kind?: 'success' | 'error';
  readonly description?: string;
  readonly action?: { readonly label: string; readonly onClick: () => void };
  /** How long it is shown. Default: 4 s. */
  readonly durationMs?: number;
}

/** The event by which the shell learns of notices. */
export const NOTICE_EVENT = 'notice';

export function notify(notice: Notice): void {
  window.dispatchEvent(new CustomEvent<Notice>(NOTICE_EVENT, { detail: notice }));
}
