'use client';
import type { UseFormReturn } from 'react-hook-form';
import { useMe } from '../../data/me';
import { Field, Input, TextArea } from '../../ui/field';
import { type CredentialedExchange, PAPER } from './credentials.rules';

export interface CredentialsForm {
  readonly credentials: {
    readonly api_key: string;
    readonly api_secret: string;
    readonly passphrase?: string | undefined;
  };
}

/** Returns whether the passphrase is missing that the exchange needs, and shows it at its field. */
export function lacksPassphrase(
  form: UseFormReturn<CredentialsForm>,
  exchange: CredentialedExchange | undefined,
): boolean {
  const { passphrase } = form.getValues('credentials');
  if (exchange?.credentials.has_passphrase !== true || passphrase) return false;
  form.setError('credentials.passphrase', { message: 'required' }, { shouldFocus: true });
  return true;
}

export function CredentialFields({
  form,
  exchange,
}: {
  readonly form: UseFormReturn<CredentialsForm>;
  readonly exchange: CredentialedExchange | undefined;
}) {
  const { register, formState } = form;
  const errors = formState.errors.credentials;
  const isKeyFile = exchange?.credentials.secret === 'EC_PRIVATE_KEY';
  const common = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      {exchange?.id === PAPER && <PracticeHint />}
      <Field
        label="API key"
        hint={isKeyFile ? 'The name of the key, as the exchange shows it.' : undefined}
        error={errors?.api_key && 'Paste the API key.'}
      >
        <Input {...common} {...register('credentials.api_key')} className="font-mono" />
      </Field>
      {isKeyFile ? (
        <Field
          label="Private key"
          error={errors?.api_secret && 'Paste the private key.'}
          hint="The whole text, with its first and last line. Stored encrypted. It is never shown again."
        >
          <TextArea {...common} {...register('credentials.api_secret')} rows={5} className="font-mono" />
        </Field>
      ) : (
        <Field
          label="API secret"
          error={errors?.api_secret && 'Paste the API secret.'}
          hint="Stored encrypted. It is never shown again."
        >
          <Input {...common} {...register('credentials.api_secret')} type="password" className="font-mono" />
        </Field>
      )}
      {exchange?.credentials.has_passphrase !== false && (
        <Field
          label="Passphrase"
          hint="You chose it when you created the key."
          error={errors?.passphrase && 'Enter the passphrase of the key.'}
        >
          <Input
            {...common}
            {...register('credentials.passphrase', {
              setValueAs: (value: string | undefined) => (value === '' ? undefined : value),
            })}
            type="password"
          />
        </Field>
      )}
    </>
  );
}

/** How to get credentials of the practice exchange. */
function PracticeHint() {
  const { data } = useMe();
  if (data?.world !== 'test') return null;
  return (
    <div className="rounded-card border px-3 py-2 text-sm">
      <p className="font-medium">Practice credentials</p>
      <p className="text-muted">
        Run <Code>svc dev seed</Code> for a new practice account, or copy <Code>paper_credentials</Code> of{' '}
        <Code>.data/dev.json</Code>. The balances are not real.
      </p>
    </div>
  );
}

const Code = ({ children }: { readonly children: string }) => (
  <code className="rounded bg-hover px-1 font-mono text-xs">{children}</code>
);
