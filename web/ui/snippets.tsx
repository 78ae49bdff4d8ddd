// The same thing as a command, a request and code, ready to take along.
import * as Radix from 'radix-ui/tabs';
import { CopyBlock } from './copy.tsx';

export interface Snippet {
  label: string;
  text: string;
}

export function Snippets({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  return (
    <Radix.Root defaultValue={snippets[0]?.label ?? ''} className="min-w-0">
      <Radix.List aria-label={label} className="mb-2 flex flex-wrap gap-1">
        {snippets.map((each) => (
          <Radix.Trigger
            key={each.label}
            value={each.label}
            className="h-6 rounded-md px-2 text-xs font-medium text-soft hover:bg-hover hover:text-text data-[state=active]:bg-hover data-[state=active]:text-text"
          >
            {each.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {snippets.map((each) => (
        <Radix.Content key={each.label} value={each.label}>
          <CopyBlock text={each.text} label={`${label}: ${each.label}`} />
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
