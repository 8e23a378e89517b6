import Link, { type LinkProps } from 'next/link';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
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
  /** The action is running: the button keeps its size and ignores clicks. */
  readonly isBusy?: boolean;
  readonly icon?: ReactNode;
  /** As wide as high, for an icon alone. */
  readonly isSquare?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

const BASE =
  'inline-flex h-8 shrink-0 select-none items-center justify-center gap-1.5 rounded-control font-medium text-sm whitespace-nowrap transition-colors duration-120 aria-disabled:opacity-50 disabled:opacity-50 pointer-coarse:h-10';

const buttonClasses = (variant: keyof typeof VARIANTS, className?: string, isSquare = false) =>
  classNames(BASE, isSquare ? 'w-8 pointer-coarse:w-10' : 'px-3', VARIANTS[variant], className);

export function Button({
  variant = 'secondary',
  isBusy = false,
  isSquare = false,
  icon,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    // A disabled button would lose the focus, so a busy one only ignores clicks.
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy || rest['aria-disabled']}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={buttonClasses(variant, className, isSquare)}
    >
      {icon}
      {children}
    </button>
  );
}

export type ButtonLinkProps = LinkProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof LinkProps> & {
    readonly variant?: keyof typeof VARIANTS;
  };

/** A link to a page with the look of a button. */
export function ButtonLink({ variant = 'secondary', className, ...rest }: ButtonLinkProps) {
  return <Link {...rest} className={buttonClasses(variant, className)} />;
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
