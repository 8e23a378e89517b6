import { Checkbox } from '../../ui/field';

interface ConfirmNoWithdrawalProps {
  readonly isConfirmed: boolean;
  readonly onChange: (isConfirmed: boolean) => void;
}

/** Asks for the right to withdraw, where the exchange does not report it. The API refuses the key without an answer. */
export function ConfirmNoWithdrawal({ isConfirmed, onChange }: ConfirmNoWithdrawalProps) {
  return (
    <Checkbox
      label="I checked at the exchange that this key cannot withdraw"
      hint="The exchange does not report this right."
      required
      checked={isConfirmed}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
