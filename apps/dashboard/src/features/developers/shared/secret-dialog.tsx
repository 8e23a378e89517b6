'use client';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button';
import { CopyButton } from '../../../ui/copyable';
import { Dialog } from '../../../ui/dialog';

export interface SecretDialogProps {
  readonly title: string;
  /** What the secret is, such as "API key". */
  readonly name: string;
  /** Undefined closes the dialog. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
  /** How to use the secret. */
  readonly children?: ReactNode;
}

/** Shows a secret once. The first attempt to close asks whether it was stored. */
export function SecretDialog({ title, name, secret, onClose, children }: SecretDialogProps) {
  const [isWarned, setWarned] = useState(false);
  const done = () => {
    setWarned(false);
    onClose();
  };
  return (
    <Dialog
      isOpen={secret !== undefined}
      onClose={() => (isWarned ? done() : setWarned(true))}
      title={title}
      footer={
        <Button variant="primary" onClick={done}>
          I stored the {name}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="flex gap-2 rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          This is the only time that the {name} is shown. Store it in a secret manager now.
        </p>
        <div className="flex items-center gap-1 rounded-card border bg-hover py-1.5 pr-1.5 pl-3">
          <code className="min-w-0 flex-1 font-mono text-xs break-all">{secret}</code>
          <CopyButton text={secret ?? ''} label={`Copy the ${name}`} />
        </div>
        <p role="status" className="text-loss text-sm empty:hidden">
          {isWarned && `Copy the ${name} first. If you close again, it cannot be shown any more.`}
        </p>
        {children}
      </div>
    </Dialog>
  );
}
