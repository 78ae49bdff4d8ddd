import { SESSION_LOCK } from '../../contract/session-lock.ts';
import { THEME_SCRIPT } from '../look/tokens.ts';

/** What the scripts of all pages begin with: asking for things, and saying what came of it. */
export const FORM_SCRIPT = `${THEME_SCRIPT}
const at = (id) => document.getElementById(id);

// Signing in replaces the session that this browser may have: its other tabs wait for that.
const locked = (act) => navigator.locks ? navigator.locks.request('${SESSION_LOCK}', act) : act();

async function post(path, body, surface = '/api/v1') {
  const response = await locked(() => fetch(surface + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }));
  const reply = await response.json();
  if (response.ok) return reply;
  throw Object.assign(new Error(reply.error.message), { status: response.status });
}

function element(name, text, values = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...values });
}

// Of this server only: somebody else may have made up the address that a person came by.
function ownPath(text) {
  const url = text && text[0] === '/' ? URL.parse(text, location.origin) : null;
  return url !== null && url.origin === location.origin ? url.pathname + url.search : null;
}

function say(title, text) {
  document.title = title + ' · Millrace';
  at('title').textContent = title;
  at('text').textContent = text;
}

function fail(error) {
  at('problem').textContent = error.message;
  at('problem').hidden = false;
}

const FIELDS = {
  email: { label: 'Email', type: 'email', autocomplete: 'username' },
  name: { label: 'Name', type: 'text', autocomplete: 'name', optional: true },
  password: { label: 'Password', type: 'password', autocomplete: 'current-password' },
  newPassword: {
    label: 'New password', type: 'password', autocomplete: 'new-password', minLength: 12,
    hint: 'At least 12 characters. A few unrelated words work well.',
  },
  userCode: { label: 'Code', type: 'text', autocomplete: 'off', hint: 'Such as BCDF-GHJK' },
};

function ask(names, button, submit, email, then = done) {
  const form = at('form');
  form.replaceChildren();
  const inputs = names.map((name) => {
    const field = FIELDS[name];
    const label = document.createElement('label');
    label.textContent = field.label + (field.optional ? ' (optional)' : '');
    const input = document.createElement('input');
    Object.assign(input, { name, type: field.type, autocomplete: field.autocomplete });
    input.required = !field.optional;
    if (field.minLength) input.minLength = field.minLength;
    if (name === 'email' && email) Object.assign(input, { value: email, readOnly: true });
    label.append(input);
    if (field.hint) {
      const hint = document.createElement('small');
      hint.textContent = field.hint;
      label.append(hint);
    }
    form.append(label);
    return input;
  });
  const send = document.createElement('button');
  send.textContent = button;
  form.append(send);
  form.hidden = false;
  inputs.find((input) => !input.readOnly)?.focus();
  form.onsubmit = async (event) => {
    event.preventDefault();
    at('problem').hidden = true;
    send.disabled = true;
    try {
      const values = {};
      for (const input of inputs) if (input.value !== '') values[input.name] = input.value;
      const { newPassword: password = values.password, ...rest } = values;
      await then(await submit({ ...rest, password }));
    } catch (error) {
      fail(error);
      send.disabled = false;
    }
  };
}

// The team that the dashboard opens with: the one of the invitation, else one's own.
function landIn(teamId) {
  return (reply) => {
    if (teamId === null) localStorage.removeItem('millrace.team');
    else localStorage.setItem('millrace.team', teamId);
    return reply;
  };
}

function done({ user, text }) {
  at('form').replaceChildren();
  say('You are signed in', text ?? 'Signed in as ' + user.email + '.');
  const open = element('a', 'Open the dashboard', { className: 'button', href: '/' });
  const make = element('button', 'Create an API key', { className: 'plain' });
  make.addEventListener('click', async () => {
    make.disabled = true;
    try {
      show((await post('/api-keys', { name: 'Made in the browser' })).key);
      make.remove();
    } catch (error) {
      fail(error);
      make.disabled = false;
    }
  });
  at('after').replaceChildren(open, make);
}

function show(key) {
  const text = document.createElement('p');
  text.textContent = 'Save this key; it is not shown again. Use it as MILLRACE_API_KEY.';
  const code = document.createElement('code');
  code.textContent = key;
  at('after').append(text, code);
}
`;
