import * as DropdownMenu from 'radix-ui/dropdown-menu';
import type { ReactNode } from 'react';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

/** A menu under the element that opens it; `null` draws a line. */
export function Menu({
  trigger,
  items,
}: {
  trigger: ReactNode;
  items: readonly (MenuItem | null)[];
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-lg border border-line-strong bg-raised p-1 shadow-pop"
        >
          {items.map((item, index) =>
            item === null ? (
              <DropdownMenu.Separator key={index} className="my-1 h-px bg-line" />
            ) : (
              <DropdownMenu.Item
                key={item.label}
                disabled={item.disabled ?? false}
                onSelect={item.onSelect}
                className={`flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4 ${item.danger ? 'text-bad' : 'text-text'}`}
              >
                {item.icon}
                {item.label}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
