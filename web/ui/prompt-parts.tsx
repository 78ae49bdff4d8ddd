// A prompt by the parts that providers can cache, with the size of each.
import { useState } from 'react';
import { Button } from './button.tsx';
import { useCopy } from './copy.tsx';
import { formatBytes } from './format.ts';

const NAMES: Readonly<Record<string, string>> = {
  systemContent: 'Instructions, cached for everything',
  projectContext: 'Project, cached within the run',
  streamContext: 'Stream, cached for this stream',
  taskContent: 'Task, not cached',
  prompt: 'Prompt',
  request: 'Request, as its client sent it',
};
const TONES = ['bg-accent', 'bg-info', 'bg-violet', 'bg-warn'];

function Part({ name, text, tone }: { name: string; text: string; tone: string }) {
  const [isOpen, setOpen] = useState(text.length < 4000);
  const [copied, copy] = useCopy();
  return (
    <section className="overflow-hidden rounded-lg border border-line">
      <header className="flex items-center gap-2 px-3 py-1.5 text-xs">
        <span aria-hidden className={`size-2 rounded-sm ${tone}`} />
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="font-medium hover:underline"
        >
          {NAMES[name] ?? name}
        </button>
        <span className="text-faint tabular">
          {formatBytes(new TextEncoder().encode(text).length)}
        </span>
        <Button size="small" look="ghost" className="ml-auto" onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </header>
      {isOpen ? (
        <pre
          tabIndex={0}
          aria-label={NAMES[name] ?? name}
          className="max-h-96 overflow-auto border-t border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {text}
        </pre>
      ) : null}
    </section>
  );
}

export interface PromptPart {
  name: string;
  text: string;
}

export function PromptParts({ parts }: { parts: readonly PromptPart[] }) {
  const whole = Math.max(
    1,
    parts.reduce((sum, { text }) => sum + text.length, 0),
  );
  return (
    <div className="flex flex-col gap-2">
      <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full">
        {parts.map(({ text }, index) => (
          <div
            key={index}
            className={TONES[index % TONES.length]}
            style={{ width: `${(100 * text.length) / whole}%` }}
          />
        ))}
      </div>
      {parts.map(({ name, text }, index) => (
        <Part key={index} name={name} text={text} tone={TONES[index % TONES.length]!} />
      ))}
    </div>
  );
}
