'use client';
import { type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { Field, Input } from './field';
import { FormError } from './form-error';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The consequence with its numbers. */
  readonly children: ReactNode;
  /** The verb of the button, such as "Pause copier". */
  readonly action: string;
  /** The button that changes nothing, if "Cancel" could be read as the action. */
  readonly keep?: string;
  readonly isDanger?: boolean;
  /** A word that must be typed before the button works. */
  readonly typed?: string;
  /** Does the work. The dialog closes when it succeeds and shows the failure otherwise. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something with consequences. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    isOpen,
    onClose,
    title,
    children,
    action,
    keep = 'Cancel',
    isDanger = false,
    typed,
    onConfirm,
  } = props;
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    setText('');
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      description={children}
      footer={
        <>
          <Button onClick={close}>{keep}</Button>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={typed !== undefined && text !== typed}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      {typed !== undefined && (
        <Field label={`Type ${typed} to confirm`}>
          <Input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </Field>
      )}
      {error !== undefined && (
        <div className="pt-3">
          <FormError error={error} />
        </div>
      )}
    </Dialog>
  );
}
