// Letting a command line in. The code may be in the address, but opening it decides nothing: a person sees
// what asks, and presses a button.
import { FORM_SCRIPT } from './form-script.ts';

export const DEVICE_SCRIPT = `${FORM_SCRIPT}
// Signing in leaves this page: the code waits in the tab, and in no address.
const KEPT = 'millrace.userCode';
const given = location.hash.slice(1);
if (given !== '') {
  history.replaceState(null, '', location.pathname);
  sessionStorage.setItem(KEPT, given);
}

function enterCode() {
  say('Sign in to the command line', 'Enter the code that your terminal shows.');
  ask(['userCode'], 'Continue', async ({ userCode }) => ({
    userCode, request: await post('/auth/device/lookup', { userCode }),
  }), undefined, review);
}

// As the terminal shows it, however it was typed.
function shownCode(userCode) {
  const letters = userCode.toUpperCase().replace(/[^A-Z]/g, '');
  return letters.slice(0, 4) + '-' + letters.slice(4);
}

function review({ userCode, request }) {
  at('form').replaceChildren();
  at('form').hidden = true;
  say('Allow this sign-in?', 'Allow it only if you started it yourself and your terminal shows this code.');
  const facts = element('dl', '');
  const line = (name, text) => facts.append(element('dt', name), element('dd', text));
  line('Program', request.clientName ?? 'unknown');
  line('Address', request.address);
  line('Started', new Date(request.createdAt).toLocaleString());
  line('Your account', account);
  const choices = element('div', '', { className: 'row' });
  for (const [text, approve] of [['Allow', true], ['Deny', false]]) {
    const button = element('button', text, approve ? {} : { className: 'plain' });
    button.addEventListener('click', () => decide(userCode, approve, choices));
    choices.append(button);
  }
  at('after').replaceChildren(element('code', shownCode(userCode), { className: 'code' }), facts, choices);
}

async function decide(userCode, approve, choices) {
  at('problem').hidden = true;
  for (const button of choices.children) button.disabled = true;
  try {
    await post('/auth/device/decision', { userCode, approve });
    sessionStorage.removeItem(KEPT);
    at('after').replaceChildren();
    if (approve) say('You are signed in', 'Return to your terminal. You can close this page.');
    else say('Sign-in denied', 'The command line was not let in. You can close this page.');
  } catch (error) {
    fail(error);
    for (const button of choices.children) button.disabled = false;
  }
}

let account = '';
async function start() {
  const response = await fetch('/api/v1/auth/me');
  if (response.status === 401) return location.replace('/login?return=/device');
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error.message);
  account = reply.user.email;
  const userCode = sessionStorage.getItem(KEPT);
  if (userCode === null) return enterCode();
  sessionStorage.removeItem(KEPT);
  try {
    review({ userCode, request: await post('/auth/device/lookup', { userCode }) });
  } catch (error) {
    enterCode();
    fail(error);
  }
}
start().catch((error) => { say('Sign in to the command line', ''); fail(error); });
`;
