// A list of a stream: its entries, each with what can be done to it, and a field for one more.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.tsx';

export function EntryList({
  title,
  entries,
  none,
  remove,
  action,
  children,
}: {
  title: string;
  entries: readonly string[];
  /** What an empty list means. */
  none: string;
  /** What removing an entry is called; undefined where nothing can be changed. */
  remove: ((entry: string) => { name: string; act: () => void }) | undefined;
  /** Something more for each entry. */
  action?: (entry: string) => ReactNode;
  children?: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-medium">{title}</h3>
      {entries.length === 0 ? <p className="text-xs text-soft">{none}</p> : null}
      <ul className="flex flex-col gap-1">
        {entries.map((entry) => {
          const removal = remove?.(entry);
          return (
            <li
              key={entry}
              className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-canvas pl-2"
            >
              <code className="min-w-0 flex-1 py-1 text-xs [overflow-wrap:anywhere]">{entry}</code>
              {action?.(entry)}
              {removal ? (
                <IconButton name={removal.name} onClick={removal.act} className="size-7">
                  <X />
                </IconButton>
              ) : null}
            </li>
          );
        })}
      </ul>
      {children}
    </section>
  );
}

/** Adds what is typed, with Enter or the button. */
export function NewEntry({
  label,
  placeholder,
  onAdd,
}: {
  label: string;
  placeholder: string;
  onAdd: (entry: string) => void;
}) {
  const [text, setText] = useState('');
  return (
    <form
      className="flex gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        onAdd(text.trim());
        setText('');
      }}
    >
      <Input
        aria-label={label}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        className="font-mono text-xs"
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" icon={<Plus />} disabled={text.trim() === ''}>
        Add
      </Button>
    </form>
  );
}
