// What a link asks of the person who opens it.
import { useState } from 'react';
import type { Link } from '../../../src/contract/auth-api.ts';
import { rememberTeam } from '../../session/team.ts';
import { EntryButton } from './entry-button.tsx';
import { EntryCard } from './entry-card.tsx';
import { EntryForm } from './entry-form.tsx';
import type { EntryValues, FieldName } from './entry-form.tsx';
import { keepJoining } from './joining.ts';
import { signInOptions } from './options.ts';
import { messageOf, post } from './requests.ts';
import type { Account } from './requests.ts';

interface Asked {
  title: string;
  text?: string;
  fields: readonly FieldName[];
  action: string;
  email?: string;
  /** Gives what the page says when it is done. */
  submit(values: EntryValues): Promise<string>;
  /** Whether the provider of the organisation can do it as well. */
  isForProvider?: boolean;
}

const signedInAs = ({ user }: Account) => `Signed in as ${user.email}.`;

function joinWithAccount({ teamName, role, email }: Link, token: string): Asked {
  return {
    title: `Join ${teamName}`,
    text: `Sign in to accept the invitation as ${role}.`,
    fields: ['email', 'password'],
    action: 'Sign in and join',
    ...(email === null ? {} : { email }),
    async submit(values) {
      await post('/api/v1/auth/login', values);
      const team = await post<{ id: string; name: string; role: string }>(
        '/v1/invitations/accept',
        { token },
      );
      rememberTeam(team.id);
      return `You are now in ${team.name} as ${team.role}.`;
    },
  };
}

function askedBy(link: Link | undefined, token: string): Asked {
  if (link === undefined) {
    return {
      title: 'Sign in',
      fields: ['email', 'password'],
      action: 'Sign in',
      submit: async (values) => signedInAs(await post('/api/v1/auth/login', values)),
    };
  }
  if (link.kind === 'setup') {
    return {
      title: 'Set up Millrace',
      text: 'Set up your account. It administers this server.',
      fields: ['email', 'name', 'newPassword'],
      action: 'Create account',
      async submit(values) {
        const account = await post<Account>('/api/v1/auth/setup', { token, ...values });
        rememberTeam(undefined);
        return signedInAs(account);
      },
    };
  }
  if (link.kind === 'reset') {
    return {
      title: 'Set a new password',
      text: `For ${link.email}. This signs you out everywhere else.`,
      fields: ['newPassword'],
      action: 'Set password',
      submit: async (values) =>
        signedInAs(await post('/api/v1/auth/password-reset', { token, ...values })),
    };
  }
  if (link.hasAccount) return joinWithAccount(link, token);
  return {
    title: `Join ${link.teamName}`,
    text: `You are invited as ${link.role} with ${link.email}.`,
    fields: ['name', 'newPassword'],
    action: 'Create account',
    isForProvider: true,
    async submit(values) {
      const account = await post<Account>('/api/v1/auth/sign-up', { token, ...values });
      rememberTeam(link.teamId ?? undefined);
      return signedInAs(account);
    },
  };
}

export function LinkForm({
  link,
  token,
  onSignedIn,
}: {
  link: Link | undefined;
  token: string;
  onSignedIn: (text: string) => void;
}) {
  const [problem, setProblem] = useState<string>();
  const { title, text, fields, action, email, submit, isForProvider } = askedBy(link, token);
  const { ssoName } = signInOptions();
  const goToProvider = async () => {
    try {
      if (link?.teamId) keepJoining(link.teamId);
      const started = await post<{ url: string }>('/api/v1/auth/oidc/start', { invitation: token });
      location.assign(started.url);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <EntryCard title={title} text={text} problem={problem}>
      <EntryForm
        fields={fields}
        action={action}
        email={email}
        onProblem={setProblem}
        onSubmit={async (values) => onSignedIn(await submit(values))}
      />
      {isForProvider && ssoName !== undefined ? (
        <EntryButton onClick={() => void goToProvider()}>Continue with {ssoName}</EntryButton>
      ) : null}
    </EntryCard>
  );
}
