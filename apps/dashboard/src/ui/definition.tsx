'use client';
import { Tooltip } from 'radix-ui';
import { type ReactNode, useState } from 'react';

export interface DefinitionProps {
  readonly children: ReactNode;
  /** What the figure means, in plain words. */
  readonly text: string;
}

/** The name of a figure; its meaning appears on hover, on focus and on a tap. */
export function Definition({ children, text }: DefinitionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Tooltip.Provider delayDuration={200}>
      <Tooltip.Root open={isOpen} onOpenChange={setOpen}>
        <Tooltip.Trigger
          type="button"
          // A tap shows the text; by default it would hide it.
          onPointerDown={(event) => event.preventDefault()}
          onClick={(event) => {
            event.preventDefault();
            setOpen(true);
          }}
          className="inline-flex min-h-6 cursor-help items-center text-left underline decoration-line-strong decoration-dotted underline-offset-4"
        >
          {children}
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content
            side="top"
            sideOffset={4}
            collisionPadding={8}
            className="z-50 max-w-72 animate-appear rounded-card border bg-surface px-3 py-2 text-sm text-text shadow-float"
          >
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}
