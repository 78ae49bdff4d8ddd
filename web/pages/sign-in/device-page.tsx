// Letting a command line in. The code may be in the address, but opening it decides nothing: a person sees what asks,
// and presses a button.
import { useEffect, useState } from 'react';
import { MillraceError } from '../../../src/client/index.ts';
import type { DeviceRequest } from '../../../src/contract/device-api.ts';
import { secret } from './address.ts';
import { EntryButton } from './entry-button.tsx';
import { EntryCard } from './entry-card.tsx';
import { EntryForm } from './entry-form.tsx';
import { messageOf, post, whoAmI } from './requests.ts';

/** Signing in leaves this page: the code waits in the tab, and in no address. */
const KEPT = 'millrace.userCode';
if (secret !== '') sessionStorage.setItem(KEPT, secret);

interface Asking {
  userCode: string;
  request: DeviceRequest;
}

type View =
  | { kind: 'opening' }
  | { kind: 'code'; account: string; problem?: string }
  | ({ kind: 'review'; account: string } & Asking)
  | { kind: 'decided'; isAllowed: boolean }
  | { kind: 'failed'; problem: string };

const TITLE = 'Sign in to the command line';

async function lookUp(userCode: string): Promise<Asking> {
  return { userCode, request: await post('/api/v1/auth/device/lookup', { userCode }) };
}

async function open(): Promise<View> {
  try {
    const account = (await whoAmI()).user.email;
    const userCode = sessionStorage.getItem(KEPT);
    if (userCode === null) return { kind: 'code', account };
    sessionStorage.removeItem(KEPT);
    return await lookUp(userCode).then(
      (asking) => ({ kind: 'review', account, ...asking }) as const,
      (error: unknown) => ({ kind: 'code', account, problem: messageOf(error) }) as const,
    );
  } catch (error) {
    if (!(error instanceof MillraceError && error.status === 401)) {
      return { kind: 'failed', problem: messageOf(error) };
    }
    location.replace('/login?return=/device');
    return { kind: 'opening' };
  }
}

/** As the terminal shows it, however it was typed. */
function shownCode(userCode: string): string {
  const letters = userCode.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function EnterCode({
  first,
  onFound,
}: {
  first: string | undefined;
  onFound: (asking: Asking) => void;
}) {
  const [problem, setProblem] = useState(first);
  return (
    <EntryCard title={TITLE} text="Enter the code that your terminal shows." problem={problem}>
      <EntryForm
        fields={['userCode']}
        action="Continue"
        onProblem={setProblem}
        onSubmit={async ({ userCode = '' }) => onFound(await lookUp(userCode))}
      />
    </EntryCard>
  );
}

function Review({
  asking: { userCode, request },
  account,
  onDecided,
}: {
  asking: Asking;
  account: string;
  onDecided: (isAllowed: boolean) => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const decide = async (approve: boolean) => {
    setProblem(undefined);
    setBusy(true);
    try {
      await post('/api/v1/auth/device/decision', { userCode, approve });
      onDecided(approve);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const facts = [
    ['Program', request.clientName ?? 'unknown'],
    ['Address', request.address],
    ['Started', new Date(request.createdAt).toLocaleString()],
    ['Your account', account],
  ] as const;
  return (
    <EntryCard
      title="Allow this sign-in?"
      text="Allow it only if you started it yourself and your terminal shows this code."
      problem={problem}
    >
      <code className="block rounded-lg border border-line bg-sunken px-3 py-2.5 text-center font-mono text-[1.375rem] tracking-[0.12em]">
        {shownCode(userCode)}
      </code>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {facts.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{text}</dd>
          </div>
        ))}
      </dl>
      <div className="grid grid-cols-2 gap-3">
        <EntryButton look="primary" busy={isBusy} onClick={() => void decide(true)}>
          Allow
        </EntryButton>
        <EntryButton busy={isBusy} onClick={() => void decide(false)}>
          Deny
        </EntryButton>
      </div>
    </EntryCard>
  );
}

let opening: Promise<View> | undefined;

export function DevicePage() {
  const [view, setView] = useState<View>({ kind: 'opening' });
  useEffect(() => {
    void (opening ??= open()).then(setView);
  }, []);
  switch (view.kind) {
    case 'opening':
      return <EntryCard title="Millrace" text="One moment..." />;
    case 'code':
      return (
        <EnterCode
          first={view.problem}
          onFound={(asking) => setView({ kind: 'review', account: view.account, ...asking })}
        />
      );
    case 'review':
      return (
        <Review
          asking={view}
          account={view.account}
          onDecided={(isAllowed) => setView({ kind: 'decided', isAllowed })}
        />
      );
    case 'decided':
      return view.isAllowed ? (
        <EntryCard
          title="You are signed in"
          text="Return to your terminal. You can close this page."
        />
      ) : (
        <EntryCard
          title="Sign-in denied"
          text="The command line was not let in. You can close this page."
        />
      );
    case 'failed':
      return <EntryCard title={TITLE} problem={view.problem} />;
  }
}
