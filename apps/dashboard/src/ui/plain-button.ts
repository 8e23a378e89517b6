/** The look of buttons and links in pages that need no code, and that every page contains. */
const PLAIN = 'inline-flex h-8 items-center rounded-control px-3 font-medium text-sm pointer-coarse:h-10';

export const PLAIN_PRIMARY = `${PLAIN} bg-accent text-white`;
export const PLAIN_SECONDARY = `${PLAIN} border bg-surface`;
