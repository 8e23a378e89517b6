'use client';
/** Labelled inputs. An error is connected with its input, so that screen readers read it. */
import { ChevronDown } from 'lucide-react';
import {
  type ChangeEvent,
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import { classNames } from './class-names';

interface FieldIds {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}
const FieldContext = createContext<FieldIds | undefined>(undefined);

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong with the value, and how to fix it. */
  readonly error?: string | undefined;
  /** Shown at the right of the label. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Field({ label, hint, error, aside, className, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === undefined ? undefined : `${id}-error`;
  const describedBy = [errorId, hintId].filter(Boolean).join(' ') || undefined;
  return (
    <FieldContext value={{ id, describedBy, isInvalid: error !== undefined }}>
      <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
        <div className="flex items-baseline justify-between gap-2">
          <label htmlFor={id} className="font-medium text-sm">
            {label}
          </label>
          {aside !== undefined && <span className="text-muted text-xs">{aside}</span>}
        </div>
        {children}
        {error !== undefined && (
          <p id={errorId} className="text-loss text-xs">
            {error}
          </p>
        )}
        {hint !== undefined && (
          <p id={hintId} className="text-muted text-xs">
            {hint}
          </p>
        )}
      </div>
    </FieldContext>
  );
}

const CONTROL =
  'w-full min-w-0 rounded-control border bg-surface px-2.5 text-sm placeholder:text-muted disabled:bg-hover disabled:text-muted aria-invalid:border-loss-line';

function useFieldAttributes() {
  const field = useContext(FieldContext);
  return field === undefined
    ? {}
    : { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.isInvalid || undefined };
}

interface TextControl<Element> {
  readonly ref?: Ref<Element>;
  readonly value?: unknown;
  readonly onChange?: ((event: ChangeEvent<Element>) => void) | undefined;
}

/**
 * Keeps what was typed into the HTML of the server before the page reacted: React reports no change for it, and would empty
 * the field. Returns the ref of the element.
 */
function useEarlyText<Element extends HTMLInputElement | HTMLTextAreaElement>({
  ref,
  value,
  onChange,
}: TextControl<Element>) {
  const element = useRef<Element>(null);
  useImperativeHandle(ref, () => element.current as Element);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null || typeof value !== 'string' || target.value === value) return;
    onChange?.({ target, currentTarget: target } as ChangeEvent<Element>);
    // Only the first value can differ from what the element shows.
  }, []);
  return element;
}

export function Input({
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }) {
  return (
    <input
      {...useFieldAttributes()}
      {...rest}
      ref={useEarlyText(rest)}
      className={classNames(CONTROL, 'h-8 pointer-coarse:h-10', className)}
    />
  );
}

export function TextArea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly ref?: Ref<HTMLTextAreaElement> }) {
  return (
    <textarea
      {...useFieldAttributes()}
      {...rest}
      ref={useEarlyText(rest)}
      className={classNames(CONTROL, 'min-h-20 py-1.5', className)}
    />
  );
}

export function Select({
  className,
  children,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { readonly ref?: Ref<HTMLSelectElement> }) {
  return (
    <span className={classNames('relative block min-w-0', className)}>
      <select
        {...useFieldAttributes()}
        {...rest}
        className={classNames(CONTROL, 'h-8 appearance-none pr-8 pointer-coarse:h-10')}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
}

export interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input {...rest} type="checkbox" className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-muted text-xs">{hint}</span>}
      </span>
    </label>
  );
}
