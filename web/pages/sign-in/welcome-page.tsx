// Where set-up, invitation, password and sign-in links lead.
import { useEffect, useState } from 'react';
import type { Link } from '../../../src/contract/auth-api.ts';
import { query, returnPath, secret as token } from './address.ts';
import { EntryCard } from './entry-card.tsx';
import { LinkForm } from './link-form.tsx';
import { messageOf, post, whoAmI } from './requests.ts';
import { SignedIn } from './signed-in.tsx';

type View =
  | { kind: 'opening'; email?: string }
  | { kind: 'form'; link: Link | undefined }
  | { kind: 'broken'; problem: string }
  | { kind: 'signed-in'; text: string };

const target = returnPath ?? '/';

/** A link that was opened here before has done its work: people who are signed in get to where it leads. */
async function afterFailure(failure: unknown): Promise<View> {
  const isSignedIn = query.has('return') && (await whoAmI().catch(() => undefined)) !== undefined;
  if (!isSignedIn) return { kind: 'broken', problem: messageOf(failure) };
  location.replace(target);
  return { kind: 'opening' };
}

async function open(show: (view: View) => void): Promise<View> {
  if (token === '') return { kind: 'form', link: undefined };
  try {
    const link = await post<Link>('/api/v1/auth/link', { token });
    if (link.kind !== 'sign-in') return { kind: 'form', link };
    show({ kind: 'opening', email: link.email ?? '' });
    await post('/api/v1/auth/sign-in-link', { token });
    location.replace(target);
    return { kind: 'opening', email: link.email ?? '' };
  } catch (error) {
    return afterFailure(error);
  }
}

/** Once, however often the page is drawn: a link works once. */
let opening: Promise<View> | undefined;

export function WelcomePage() {
  const [view, setView] = useState<View>({ kind: 'opening' });
  useEffect(() => {
    void (opening ??= open(setView)).then(setView);
  }, []);
  switch (view.kind) {
    case 'opening':
      return view.email === undefined ? (
        <EntryCard title="Millrace" text="One moment..." />
      ) : (
        <EntryCard title="Signing you in" text={`As ${view.email}.`} />
      );
    case 'form':
      return (
        <LinkForm
          link={view.link}
          token={token}
          onSignedIn={(text) => setView({ kind: 'signed-in', text })}
        />
      );
    case 'broken':
      return <EntryCard title="This link does not work" problem={view.problem} />;
    case 'signed-in':
      return <SignedIn text={view.text} />;
  }
}
