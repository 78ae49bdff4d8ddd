// Where set-up, invitation, password and sign-in links lead.
import { FORM_SCRIPT } from './form-script.ts';

/** A constant, so that the page's policy can name it by its hash. */
export const WELCOME_SCRIPT = `${FORM_SCRIPT}
const token = location.hash.slice(1);
const query = new URLSearchParams(location.search);
const back = ownPath(query.get('return')) ?? '/';
// Neither the history nor a bookmark should keep it.
if (token !== '') history.replaceState(null, '', location.pathname);

function start(link) {
  if (link === null) {
    say('Sign in', '');
    ask(['email', 'password'], 'Sign in', (values) => post('/auth/login', values));
  } else if (link.kind === 'setup') {
    say('Set up Millrace', 'Set up your account. It administers this server.');
    ask(['email', 'name', 'newPassword'], 'Create account',
      (values) => post('/auth/setup', { token, ...values }).then(landIn(null)));
  } else if (link.kind === 'sign-in') {
    say('Signing you in', 'As ' + link.email + '.');
    post('/auth/sign-in-link', { token }).then(() => location.replace(back), lost);
  } else if (link.kind === 'reset') {
    say('Set a new password', 'For ' + link.email + '. This signs you out everywhere else.');
    ask(['newPassword'], 'Set password',
      (values) => post('/auth/password-reset', { token, ...values }));
  } else if (link.hasAccount) {
    say('Join ' + link.teamName, 'Sign in to accept the invitation as ' + link.role + '.');
    ask(['email', 'password'], 'Sign in and join', async (values) => {
      const { user } = await post('/auth/login', values);
      const team = await post('/invitations/accept', { token }, '/v1');
      landIn(team.id)();
      return { user, text: 'You are now in ' + team.name + ' as ' + team.role + '.' };
    }, link.email);
  } else {
    say('Join ' + link.teamName, 'You are invited as ' + link.role + ' with ' + link.email + '.');
    ask(['name', 'newPassword'], 'Create account',
      (values) => post('/auth/sign-up', { token, ...values }).then(landIn(link.teamId)));
    const { sso } = document.body.dataset;
    if (!sso) return;
    const button = element('button', 'Continue with ' + sso, { className: 'plain' });
    button.addEventListener('click', async () => {
      try {
        // The provider leads back to the sign-in page.
        sessionStorage.setItem('millrace.joining', link.teamId);
        location.assign((await post('/auth/oidc/start', { invitation: token })).url);
      } catch (error) {
        fail(error);
      }
    });
    at('after').append(button);
  }
}

// A link that was opened here before has done its work: whoever is signed in goes where it leads.
async function lost(error) {
  const isSignedIn = query.has('return') && (await fetch('/api/v1/auth/me')).ok;
  if (isSignedIn) return location.replace(back);
  say('This link does not work', '');
  fail(error);
}

(token === '' ? Promise.resolve(null) : post('/auth/link', { token })).then(start, lost);
`;
