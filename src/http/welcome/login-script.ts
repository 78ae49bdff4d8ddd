// Signing in: with a password, with the provider of an organisation, or after asking for a new password.
import { FORM_SCRIPT } from './form-script.ts';

export const LOGIN_SCRIPT = `${FORM_SCRIPT}
const query = new URLSearchParams(location.search);
const back = ownPath(query.get('return'));
const { sso, mail } = document.body.dataset;

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

function signedIn(reply) {
  if (back === null) done(reply);
  else location.replace(back);
}

say('Sign in', query.has('sso') ? 'Sign in with your password once to connect ' + sso + '.' : '');
ask(['email', 'password'], 'Sign in', (values) => post('/auth/login', values), undefined,
  async (reply) => {
    if (!query.has('sso') || !sso) return signedIn(reply);
    const { url } = await post('/auth/oidc/start', { connect: true, return: back ?? '/login' });
    location.replace(url);
  });
if (sso && !query.has('sso')) {
  at('after').append(element('a', 'Continue with ' + sso, { className: 'button',
    href: '/api/v1/auth/oidc/start?return=' + encodeURIComponent(back ?? '/login?signed-in') }));
}
if (mail) {
  const button = element('button', 'Forgot your password?', { className: 'link' });
  button.addEventListener('click', forgot);
  at('after').append(button);
}
// Somebody who comes back from the provider is signed in already.
if (query.has('signed-in')) {
  fetch('/api/v1/auth/me').then(async (response) => {
    if (!response.ok) return;
    at('after').replaceChildren();
    done(await response.json());
  });
}
`;
