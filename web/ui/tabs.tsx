// Tabs whose choice is part of the address.
import * as Radix from 'radix-ui/tabs';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';

export interface Tab {
  id: string;
  label: string;
  count?: number | undefined;
  body: () => ReactNode;
}

/** So much of the next one is seen, too. */
const TAB_AHEAD = 32;

export function Tabs({
  label,
  tabs,
  value,
  onChange,
  end,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
  end?: ReactNode;
}) {
  const current = tabs.find(({ id }) => id === value) ?? tabs[0]!;
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the one that is open may be out of sight.
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[data-state=active]');
    if (!list.current || !open) return;
    const room = open.offsetLeft + open.offsetWidth - list.current.clientWidth;
    list.current.scrollLeft = Math.max(0, room + TAB_AHEAD);
  }, [current.id]);
  return (
    <Radix.Root value={current.id} onValueChange={onChange} className="min-w-0">
      <div className="flex flex-wrap items-end gap-x-3 border-b border-line">
        <Radix.List
          ref={list}
          aria-label={label}
          className="relative -mb-px flex min-w-0 scrollbar-none overflow-x-auto"
        >
          {tabs.map(({ id, label: text, count }) => (
            <Radix.Trigger
              key={id}
              value={id}
              className="border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
            >
              {text}
              {count === undefined ? null : (
                <span className="ml-1.5 rounded-full bg-hover px-1.5 text-2xs text-soft tabular">
                  {count}
                </span>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {end ? <div className="mb-1.5 ml-auto flex items-center gap-2">{end}</div> : null}
      </div>
      {tabs.map(({ id, body }) => (
        <Radix.Content key={id} value={id} className="pt-4">
          {id === current.id ? body() : null}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
