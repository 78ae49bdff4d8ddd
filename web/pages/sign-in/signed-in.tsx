import { useState } from 'react';
import { EntryButton, EntryLink } from './entry-button.tsx';
import { EntryCard } from './entry-card.tsx';
import { messageOf, post } from './requests.ts';

/** `continueTo`: for people who have something to read before they get to where they wanted. */
export function SignedIn({ text, continueTo }: { text: string; continueTo?: string | undefined }) {
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const create = async () => {
    setBusy(true);
    try {
      setKey(
        (await post<{ key: string }>('/api/v1/api-keys', { name: 'Made in the browser' })).key,
      );
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <EntryCard title="You are signed in" text={text} problem={problem}>
      <div aria-live="polite" className="flex flex-col gap-4">
        <EntryLink look="primary" href="/">
          Open the dashboard
        </EntryLink>
        {key === undefined ? (
          <EntryButton busy={isBusy} onClick={() => void create()}>
            Create an API key
          </EntryButton>
        ) : (
          <>
            <p className="text-soft">
              Save this key; it is not shown again. Use it as MILLRACE_API_KEY.
            </p>
            <EntryCode>{key}</EntryCode>
          </>
        )}
        {continueTo === undefined ? null : (
          <EntryLink look="primary" href={continueTo}>
            Continue
          </EntryLink>
        )}
      </div>
    </EntryCard>
  );
}

export function EntryCode({ children }: { children: string }) {
  return (
    <code className="block rounded-lg border border-line bg-sunken px-3 py-2.5 font-mono text-[0.8125rem] break-words">
      {children}
    </code>
  );
}
