import { Slot } from 'radix-ui';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names';

const VARIANTS = {
  primary: 'bg-accent text-white hover:bg-accent-hover',
  secondary: 'border bg-surface hover:bg-hover active:bg-pressed',
  ghost: 'hover:bg-hover active:bg-pressed',
  danger: 'bg-loss-solid text-white hover:brightness-110',
  'danger-outline': 'border border-loss-line bg-surface text-loss hover:bg-loss-soft',
} as const;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: keyof typeof VARIANTS;
  /** Renders the only child, such as a link, with the look of a button. */
  readonly asChild?: boolean;
  /** The action is running: the button keeps its size and ignores clicks. */
  readonly isBusy?: boolean;
  readonly icon?: ReactNode;
  /** As wide as high, for an icon alone. */
  readonly isSquare?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

const BASE =
  'inline-flex h-8 shrink-0 select-none items-center justify-center gap-1.5 rounded-control font-medium text-sm whitespace-nowrap transition-colors duration-120 aria-disabled:opacity-50 disabled:opacity-50 pointer-coarse:h-10';

export function Button({
  variant = 'secondary',
  asChild = false,
  isBusy = false,
  isSquare = false,
  icon,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const classes = classNames(
    BASE,
    isSquare ? 'w-8 pointer-coarse:w-10' : 'px-3',
    VARIANTS[variant],
    className,
  );
  if (asChild) return <Slot.Root className={classes}>{children}</Slot.Root>;
  return (
    // A disabled button would lose the focus, so a busy one only ignores clicks.
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy || rest['aria-disabled']}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={classes}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'children' | 'isSquare'> {
  /** The name of the action, for tooltips and screen readers. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A square button with an icon alone. */
export function IconButton({ label, icon, variant = 'ghost', ...rest }: IconButtonProps) {
  return (
    <Button {...rest} variant={variant} isSquare aria-label={label} title={label}>
      {icon}
    </Button>
  );
}
