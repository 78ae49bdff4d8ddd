// Signing in: with a password, with the provider of an organisation, or after asking for a new password.
import type { OidcProblem } from '../../domain/accounts/oidc-decision.ts';
import { FORM_SCRIPT } from './form-script.ts';

/** What the page says about each; 'too-often' is ours. */
export const PROBLEM_TEXTS: Readonly<Record<OidcProblem | 'too-often', string>> = {
  unavailable: 'The single sign-on provider does not answer. Try again in a minute.',
  cancelled: 'The sign-in was cancelled.',
  expired: 'The sign-in took too long or was started in another window. Try again.',
  'email-unverified':
    'The single sign-on provider has not verified your email address. Verify it there, then try again.',
  'account-exists':
    'There is already an account with your email address. Sign in with its password to connect it. If you do not know the password, set a new one: by mail below, or by a link of a server administrator.',
  'connected-elsewhere': 'This identity is connected with another account.',
  'invitation-for-another': 'The invitation is for another email address.',
  'invitation-expired': 'The invitation has expired or was already used. Ask for a new one.',
  'no-account':
    'There is no account for you here. Ask for an invitation, or open the link in yours.',
  'not-set-up': 'This server has no account yet. Its operator creates the first one with a link.',
  suspended: 'This account is suspended. Contact the operator of this server.',
  'too-often': 'Too many attempts. Try again in a minute.',
};

const NOTICES = {
  'address-verified':
    'Your email address is verified. This account may have been set up by another person, so its password, sessions and API keys from before have ended. Create new API keys where you need them.',
};

export const LOGIN_SCRIPT = `${FORM_SCRIPT}
const PROBLEMS = ${JSON.stringify(PROBLEM_TEXTS)};
const NOTICES = ${JSON.stringify(NOTICES)};
const query = new URLSearchParams(location.search);
const back = ownPath(query.get('return'));
const { sso, mail, command } = document.body.dataset;

function forgot() {
  at('form').replaceChildren();
  at('after').replaceChildren();
  at('problem').hidden = true;
  say('Forgot your password?', 'We send you a link to set a new one.');
  ask(['email'], 'Send link', async ({ email }) => {
    await post('/auth/forgot-password', { email });
    return { title: 'Check your email',
      text: 'If ' + email + ' has an account here, a link is on its way. It works for 24 hours.' };
  }, undefined, finish);
}

function finish({ title, text }) {
  at('form').replaceChildren();
  say(title, text);
}

// An address that is not ours leads nowhere.
function signedIn(reply) {
  if (back === null && query.has('return')) done(reply);
  else location.replace(back ?? '/');
}

say('Sign in', '');
const problem = query.get('problem');
if (Object.hasOwn(PROBLEMS, problem)) fail(new Error(PROBLEMS[problem]));
ask(['email', 'password'], 'Sign in', (values) => post('/auth/login', values), undefined,
  async (reply) => {
    if (!query.has('sso') || !sso) return signedIn(reply);
    const { url } = await post('/auth/oidc/start', { connect: true, return: back ?? undefined });
    location.replace(url);
  });
if (sso && !query.has('sso')) {
  at('after').append(element('a', 'Continue with ' + sso, { className: 'button plain',
    href: '/api/v1/auth/oidc/start' + (back === null ? '' : '?return=' + encodeURIComponent(back)) }));
}
if (mail) {
  const button = element('button', 'Forgot your password?', { className: 'link' });
  button.addEventListener('click', forgot);
  at('after').append(button);
}
at('after').append(element('small', 'No account yet? Open the link in your invitation.'));
at('after').append(element('small',
  'Is this your server? On its machine, this prints a link that signs you in:'));
at('after').append(element('code', command, { className: 'command' }));
// Somebody who comes back from the provider is signed in already.
if (query.has('signed-in')) {
  fetch('/api/v1/auth/me').then(async (response) => {
    if (!response.ok) return;
    at('after').replaceChildren();
    const joined = sessionStorage.getItem('millrace.joining');
    sessionStorage.removeItem('millrace.joining');
    if (joined !== null) landIn(joined)();
    done(await response.json());
    const notice = NOTICES[query.get('notice')];
    if (notice === undefined) return;
    at('form').replaceChildren();
    say('You are signed in', notice);
    at('after').append(element('a', 'Continue', { className: 'button', href: back ?? '/' }));
  });
}
`;
