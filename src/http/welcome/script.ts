/** A constant, so that the page's policy can name it by its hash. */
export const WELCOME_SCRIPT = `
const at = (id) => document.getElementById(id);
const token = location.hash.slice(1);
// Neither the history nor a bookmark should keep it.
if (token !== '') history.replaceState(null, '', location.pathname);

async function post(path, body, surface = '/api/v1') {
  const response = await fetch(surface + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error.message);
  return reply;
}

function say(title, text) {
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
};

function ask(names, button, submit, email) {
  const form = at('form');
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
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    at('problem').hidden = true;
    send.disabled = true;
    try {
      const values = {};
      for (const input of inputs) if (input.value !== '') values[input.name] = input.value;
      const { newPassword: password = values.password, ...rest } = values;
      done(await submit({ ...rest, password }));
    } catch (error) {
      fail(error);
      send.disabled = false;
    }
  });
}

function done({ user, text }) {
  at('form').remove();
  say('You are signed in', text ?? 'Signed in as ' + user.email + '.');
  const make = document.createElement('button');
  make.textContent = 'Create an API key';
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
  at('after').append(make);
}

function show(key) {
  const text = document.createElement('p');
  text.textContent = 'Save this key; it is not shown again. Use it as MILLRACE_API_KEY.';
  const code = document.createElement('code');
  code.textContent = key;
  at('after').append(text, code);
}

function start(link) {
  if (link === null) {
    say('Sign in', '');
    ask(['email', 'password'], 'Sign in', (values) => post('/auth/login', values));
  } else if (link.kind === 'setup') {
    say('Set up Millrace', 'Create the first account. It becomes a server administrator.');
    ask(['email', 'name', 'newPassword'], 'Create account',
      (values) => post('/auth/setup', { token, ...values }));
  } else if (link.kind === 'reset') {
    say('Set a new password', 'For ' + link.email + '. This signs you out everywhere else.');
    ask(['newPassword'], 'Set password',
      (values) => post('/auth/password-reset', { token, ...values }));
  } else if (link.hasAccount) {
    say('Join ' + link.teamName, 'Sign in to accept the invitation as ' + link.role + '.');
    ask(['email', 'password'], 'Sign in and join', async (values) => {
      const { user } = await post('/auth/login', values);
      const team = await post('/invitations/accept', { token }, '/v1');
      return { user, text: 'You are now in ' + team.name + ' as ' + team.role + '.' };
    }, link.email);
  } else {
    say('Join ' + link.teamName, 'You are invited as ' + link.role + ' with ' + link.email + '.');
    ask(['name', 'newPassword'], 'Create account',
      (values) => post('/auth/sign-up', { token, ...values }));
  }
}

(token === '' ? Promise.resolve(null) : post('/auth/link', { token })).then(start, (error) => {
  say('This link does not work', '');
  fail(error);
});
`;
