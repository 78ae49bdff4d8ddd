// Signing in: with a password, with the provider of an organisation, or after asking for a new password.
import { useEffect, useState } from 'react';
import { rememberTeam } from '../../session/team.ts';
import { query, returnPath } from './address.ts';
import { EntryLink } from './entry-button.tsx';
import { EntryCard } from './entry-card.tsx';
import { EntryForm } from './entry-form.tsx';
import { takeJoining } from './joining.ts';
import { signInOptions } from './options.ts';
import { noticeText, problemText } from './problems.ts';
import { post, whoAmI } from './requests.ts';
import type { Account } from './requests.ts';
import { EntryCode, SignedIn } from './signed-in.tsx';

type View = { kind: 'sign-in' } | { kind: 'forgot' } | { kind: 'signed-in'; account: Account };

const START = '/api/v1/auth/oidc/start';

function Forgot() {
  const [problem, setProblem] = useState<string>();
  const [sentTo, setSentTo] = useState<string>();
  if (sentTo !== undefined) {
    return (
      <EntryCard
        title="Check your email"
        text={`If ${sentTo} has an account here, a link is on its way. It works for 24 hours.`}
      />
    );
  }
  return (
    <EntryCard
      title="Forgot your password?"
      text="We send you a link to set a new one."
      problem={problem}
    >
      <EntryForm
        fields={['email']}
        action="Send link"
        onProblem={setProblem}
        onSubmit={async ({ email = '' }) => {
          await post('/api/v1/auth/forgot-password', { email });
          setSentTo(email);
        }}
      />
    </EntryCard>
  );
}

function SignIn({
  onForgot,
  onSignedIn,
}: {
  onForgot: () => void;
  onSignedIn: (account: Account) => void;
}) {
  const [problem, setProblem] = useState(problemText(query.get('problem')));
  const { ssoName, canMail, linkCommand } = signInOptions();
  // They come from the provider, and connect their account with it.
  const isConnecting = query.has('sso') && ssoName !== undefined;
  const back = returnPath === undefined ? '' : `?return=${encodeURIComponent(returnPath)}`;
  return (
    <EntryCard title="Sign in" problem={problem}>
      <EntryForm
        fields={['email', 'password']}
        action="Sign in"
        onProblem={setProblem}
        onSubmit={async (values) => {
          const account = await post<Account>('/api/v1/auth/login', values);
          if (!isConnecting) {
            onSignedIn(account);
            return;
          }
          const { url } = await post<{ url: string }>(START, { connect: true, return: returnPath });
          location.replace(url);
        }}
      />
      <div className="flex flex-col items-start gap-4">
        {ssoName === undefined || query.has('sso') ? null : (
          <EntryLink href={START + back}>Continue with {ssoName}</EntryLink>
        )}
        {canMail ? (
          <button
            type="button"
            className="text-accent underline underline-offset-2"
            onClick={onForgot}
          >
            Forgot your password?
          </button>
        ) : null}
        <p className="text-xs text-soft">No account yet? Open the link in your invitation.</p>
        <p className="text-xs text-soft">
          Is this your server? On its machine, this prints a link that signs you in:
        </p>
        <div className="w-full">
          <EntryCode>{linkCommand}</EntryCode>
        </div>
      </div>
    </EntryCard>
  );
}

export function LoginPage() {
  const [view, setView] = useState<View>({ kind: 'sign-in' });
  // People who come back from the provider are signed in already.
  useEffect(() => {
    if (!query.has('signed-in')) return;
    whoAmI().then(
      (account) => {
        const teamId = takeJoining();
        if (teamId !== undefined) rememberTeam(teamId);
        setView({ kind: 'signed-in', account });
      },
      // They sign in with the form.
      () => undefined,
    );
  }, []);
  if (view.kind === 'forgot') return <Forgot />;
  if (view.kind === 'signed-in') {
    const notice = noticeText(query.get('notice'));
    const text = notice ?? `Signed in as ${view.account.user.email}.`;
    return (
      <SignedIn text={text} continueTo={notice === undefined ? undefined : (returnPath ?? '/')} />
    );
  }
  const signedIn = (account: Account) => {
    // An address that is not ours leads nowhere.
    if (returnPath === undefined && query.has('return')) setView({ kind: 'signed-in', account });
    else location.replace(returnPath ?? '/');
  };
  return <SignIn onForgot={() => setView({ kind: 'forgot' })} onSignedIn={signedIn} />;
}
