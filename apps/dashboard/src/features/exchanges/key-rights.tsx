'use client';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { Checkbox } from '../../ui/field';

const NEEDED = ['Read balances, orders and trades', 'Place and cancel orders'];
const REFUSED = ['Withdraw', 'Transfer to other accounts'];

interface KeyRightsProps {
  readonly exchange: string;
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** Which rights the API key of the exchange needs, and which it must not have. */
export function KeyRights({ exchange, onBack, onNext }: KeyRightsProps) {
  const [isOff, setOff] = useState(false);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOff) onNext();
      }}
    >
      <p className="text-sm">{`Create an API key at ${exchange} for this product alone. A key that cannot withdraw keeps your money at the exchange, even if the key is stolen.`}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <section>
          <h3 className="pb-1 font-medium text-sm">Turn on</h3>
          <ul className="flex flex-col gap-1 text-sm">
            {NEEDED.map((right) => (
              <li key={right} className="flex gap-2">
                <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-gain" />
                {right}
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h3 className="pb-1 font-medium text-sm">Leave off</h3>
          <ul className="flex flex-col gap-1 text-sm">
            {REFUSED.map((right) => (
              <li key={right} className="flex gap-2">
                <X aria-hidden className="mt-0.5 size-4 shrink-0 text-loss" />
                {right}
              </li>
            ))}
          </ul>
        </section>
      </div>
      <p className="text-muted text-sm">
        If the exchange can restrict a key to IP addresses, allow those of this installation's trading
        workers. The service does not publish them; ask its operator.
      </p>
      <Checkbox
        label="The key cannot withdraw"
        hint="The next step tests it. Keys that can withdraw are refused."
        checked={isOff}
        onChange={(event) => setOff(event.target.checked)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" variant="primary" disabled={!isOff}>
          Continue
        </Button>
      </div>
    </form>
  );
}
