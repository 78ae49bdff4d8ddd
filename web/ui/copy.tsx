import { Check, Copy as CopyIcon } from './icons.tsx';
import { useState } from 'react';
import { cx } from './class-names.ts';
import { toast } from './toast.tsx';

const SHOWN_MS = 1500;

export function useCopy(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), SHOWN_MS);
      },
      () => toast('Could not copy. Select the text and copy it by hand.', 'bad'),
    );
  };
  return [copied, copy];
}

/** As much of an id as the commands take for the whole. */
export function shortId(id: string): string {
  return id.slice(0, id.lastIndexOf('_') + 11);
}

/** An id, copied whole; in lists only as much of it as tells it from others. */
export function CopyId({
  id,
  isShort = false,
  className,
}: {
  id: string;
  isShort?: boolean;
  className?: string;
}) {
  const [copied, copy] = useCopy();
  return (
    <button
      type="button"
      onClick={(event) => {
        event.stopPropagation();
        copy(id);
      }}
      title={`Copy ${id}`}
      className={cx(
        'group inline-flex max-w-full items-center gap-1 rounded font-mono text-xs text-soft hover:text-text',
        className,
      )}
    >
      <span className="truncate">{isShort ? shortId(id) : id}</span>
      {copied ? (
        <Check aria-label="Copied" className="size-3 shrink-0 text-good" />
      ) : (
        <CopyIcon aria-hidden className="size-3 shrink-0 opacity-50 group-hover:opacity-100" />
      )}
    </button>
  );
}

/** A command or snippet to take along. */
export function CopyBlock({ text, label }: { text: string; label?: string }) {
  const [copied, copy] = useCopy();
  return (
    <div className="group relative min-w-0 rounded-lg border border-line bg-sunken">
      <pre
        tabIndex={0}
        aria-label={label ?? 'Command'}
        // Wrapped: of a long command the end is what matters.
        className="mr-10 overflow-x-auto py-2.5 pl-3 text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        <code>{text}</code>
      </pre>
      <button
        type="button"
        aria-label={copied ? 'Copied' : `Copy ${label ?? 'command'}`}
        onClick={() => copy(text)}
        className="absolute top-1.5 right-1.5 inline-flex size-7 items-center justify-center rounded-md bg-sunken text-soft hover:bg-hover hover:text-text"
      >
        {copied ? <Check className="size-4 text-good" /> : <CopyIcon className="size-4" />}
      </button>
    </div>
  );
}
