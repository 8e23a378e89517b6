'use client';
import { Check, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button';
import { Checkbox } from '../../ui/field';
import type { Choice } from './choose-exchange';
import { guideOf, permissionsOf } from './credentials.rules';

interface KeyRightsProps {
  readonly choice: Choice;
  /** The address of the documentation, if the installation has one. */
  readonly docsUrl: string | undefined;
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** Which rights the API key of the exchange needs, and which it must not have. */
export function KeyRights({ choice, docsUrl, onBack, onNext }: KeyRightsProps) {
  const { name } = choice.exchange;
  const { needed, refused, notes } = permissionsOf(choice.exchange, choice.tradingType);
  const guide = guideOf(choice.exchange.id, docsUrl);
  const [isOff, setOff] = useState(false);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOff) onNext();
      }}
    >
      <div className="flex flex-col gap-1 text-sm">
        <p>{`Create an API key at ${name} for this product alone. A key that cannot withdraw keeps your money at the exchange, even if the key is stolen.`}</p>
        {guide !== undefined && (
          <p>
            <a href={guide} target="_blank" rel="noreferrer" className="text-accent-text underline">
              {`How to create the key at ${name}`}
            </a>
          </p>
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Rights
          title="Turn on"
          rights={needed}
          icon={<Check aria-hidden className={`${ICON} text-gain`} />}
        />
        <Rights title="Leave off" rights={refused} icon={<X aria-hidden className={`${ICON} text-loss`} />} />
      </div>
      {notes.map((note) => (
        <p key={note} className="text-sm">
          {note}
        </p>
      ))}
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

const ICON = 'mt-0.5 size-4 shrink-0';

interface RightsProps {
  readonly title: string;
  readonly rights: readonly string[];
  readonly icon: ReactNode;
}

const Rights = ({ title, rights, icon }: RightsProps) => (
  <section>
    <h3 className="pb-1 font-medium text-sm">{title}</h3>
    <ul className="flex flex-col gap-1 text-sm">
      {rights.map((right) => (
        <li key={right} className="flex gap-2">
          {icon}
          {right}
        </li>
      ))}
    </ul>
  </section>
);
