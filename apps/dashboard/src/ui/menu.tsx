'use client';
/**
 * Menus. Their library is loaded when the pointer or the focus reaches the first trigger, so that no page waits for it.
 * Until then, the trigger alone is shown; a click opens the menu as soon as the library is there.
 */
import {
  type ButtonHTMLAttributes,
  cloneElement,
  createContext,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  startTransition,
  useRef,
  useState,
} from 'react';
import { loadLate } from '../data/late-code';
import type * as Loaded from './menu-parts';

/** The parts of the library, for the children of a menu, which exist only while it is open. */
export const PartsContext = createContext<typeof Loaded | undefined>(undefined);

export interface MenuProps {
  /** A button. */
  readonly trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly align?: 'start' | 'end';
  /** The items, or what loads them together with the library. */
  readonly children: ReactNode | (() => Promise<ReactNode>);
}

export function Menu({ trigger, align = 'start', children }: MenuProps) {
  const [loaded, setLoaded] = useState<{ parts: typeof Loaded; items: ReactNode }>();
  const [isOpen, setOpen] = useState(false);
  const hasFocus = useRef(false);
  const load = async () => {
    try {
      const items = typeof children === 'function' ? children() : children;
      const [parts, loadedItems] = await Promise.all([loadLate(() => import('./menu-parts')), items]);
      startTransition(() => setLoaded({ parts, items: loadedItems }));
    } catch {
      // The notice of the shell says that code is missing.
      setOpen(false);
    }
  };
  const open = () => {
    setOpen(true);
    void load();
  };
  if (loaded !== undefined) {
    const { parts, items } = loaded;
    return (
      <PartsContext value={parts}>
        <parts.OpenableMenu
          trigger={trigger}
          align={align}
          isOpen={isOpen}
          onOpenChange={(next) => startTransition(() => setOpen(next))}
          isFocused={hasFocus.current}
        >
          {typeof children === 'function' ? items : children}
        </parts.OpenableMenu>
      </PartsContext>
    );
  }
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    onPointerEnter: () => void load(),
    onFocus: () => {
      hasFocus.current = true;
      void load();
    },
    onBlur: () => {
      hasFocus.current = false;
    },
    // The trigger of the library opens at this moment, too. Waiting for the click could lose it to the replacement.
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      // The press would move the focus to what is below the replaced trigger, which closes the menu.
      event.preventDefault();
      open();
    },
    onClick: open,
  });
}
