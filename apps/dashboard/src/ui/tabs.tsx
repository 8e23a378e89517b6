'use client';
import { Tabs as Radix } from 'radix-ui';
import {
  Children,
  isValidElement,
  type ReactElement,
  type ReactNode,
  startTransition,
  useState,
} from 'react';

export interface TabProps {
  readonly value: string;
  readonly label: ReactNode;
  readonly children: ReactNode;
}

/** One tab of `Tabs`. */
export function Tab(_props: TabProps): ReactElement | null {
  return null;
}

export interface TabsProps {
  readonly label: string;
  /** The tab that is open first. */
  readonly initial: string;
  readonly children: ReactNode;
}

export function Tabs({ label, initial, children }: TabsProps) {
  const [value, setValue] = useState(initial);
  const tabs = Children.toArray(children).filter((child): child is ReactElement<TabProps> =>
    isValidElement(child),
  );
  return (
    <Radix.Root
      value={value}
      // The content of a tab may be a whole list. Rendering it must not block the next input.
      onValueChange={(next) => startTransition(() => setValue(next))}
    >
      <div className="mb-4 border-b">
        <Radix.List aria-label={label} className="tab-row -mb-px">
          {tabs.map(({ props }) => (
            <Radix.Trigger
              key={props.value}
              value={props.value}
              className="h-9 shrink-0 rounded-t-control px-1 -outline-offset-1 border-transparent border-b-2 text-muted text-sm hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text"
            >
              {props.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map(({ props }) => (
        <Radix.Content key={props.value} value={props.value}>
          {props.children}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
