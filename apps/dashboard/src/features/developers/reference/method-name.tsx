import { classNames } from '../../../ui/class-names';

/** The method of a request. Its word says what it is; only a deletion has a colour. */
export function MethodName({ method, className }: { readonly method: string; readonly className?: string }) {
  return (
    <span
      className={classNames(
        'font-medium font-mono text-2xs',
        method === 'DELETE' ? 'text-loss' : method === 'GET' ? 'text-muted' : 'text-accent-text',
        className,
      )}
    >
      {method === 'DELETE' ? 'DEL' : method}
    </span>
  );
}
