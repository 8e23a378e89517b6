'use client';
import { Tabs as Radix } from 'radix-ui';
import { Children, isValidElement, type ReactElement, type ReactNode } from 'react';

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
  readonly initial?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly children: ReactNode;
}

export function Tabs({ label, initial, value, onChange, children }: TabsProps) {
  const tabs = Children.toArray(children).filter((child): child is ReactElement<TabProps> =>
    isValidElement(child),
  );
  return (
    <Radix.Root
      {...(initial === undefined ? {} : { defaultValue: initial })}
      {...(value === undefined ? {} : { value })}
      {...(onChange === undefined ? {} : { onValueChange: onChange })}
    >
      <div className="mb-4 border-b">
        <Radix.List aria-label={label} className="tab-row -mb-px">
          {tabs.map(({ props }) => (
            <Radix.Trigger
              key={props.value}
              value={props.value}
              className="h-9 shrink-0 rounded-t-control -outline-offset-1 border-transparent border-b-2 text-muted text-sm hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text"
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
