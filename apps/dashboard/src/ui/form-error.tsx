'use client';
import { describeFailure } from '../data/failures';
import { isMissingCode } from '../data/late-code';
import { SessionError, signInAgain } from '../data/session';
import { MissingCode } from './missing-code';

/** The failure of a form, above its buttons. */
export function FormError({ error }: { readonly error: unknown }) {
  if (isMissingCode(error))
    return (
      <div role="alert">
        <MissingCode className="rounded-card border" />
      </div>
    );
  const { kind, title, advice, requestId } =
    error instanceof SessionError
      ? { kind: 'rejected', title: error.message, advice: '', requestId: undefined }
      : describeFailure(error);
  return (
    <div role="alert" className="rounded-card border border-loss-line bg-loss-soft px-3 py-2 text-sm">
      <p className="font-medium">{title}</p>
      {advice !== '' && <p>{advice}</p>}
      {kind === 'approval' && (
        <button type="button" onClick={() => void signInAgain()} className="text-accent-text underline">
          Sign in again
        </button>
      )}
      {requestId !== undefined && <p className="pt-1 font-mono text-xs">{requestId}</p>}
    </div>
  );
}
