import { CircleUser } from 'lucide-react';
import type { ButtonHTMLAttributes, Ref } from 'react';

/** The button of the user menu. */
export function AccountButton(
  props: ButtonHTMLAttributes<HTMLButtonElement> & { readonly ref?: Ref<HTMLButtonElement> },
) {
  return (
    <button
      {...props}
      type="button"
      aria-label="Account"
      title="Account"
      className="grid size-8 shrink-0 place-items-center rounded-control hover:bg-hover pointer-coarse:size-10"
    >
      <CircleUser aria-hidden className="size-5" />
    </button>
  );
}
