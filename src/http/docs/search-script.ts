// The search: a dialog over the page, opened with "/" or Ctrl K. The index is loaded when it is first opened.

export const SEARCH_SCRIPT = `
function setUpSearch() {
  const button = document.querySelector('.bar .search');
  const dialog = document.createElement('dialog');
  dialog.className = 'find';
  dialog.setAttribute('aria-label', 'Search the documentation');
  const input = Object.assign(document.createElement('input'), { type: 'search', placeholder: 'Search the documentation' });
  for (const [name, value] of Object.entries({
    role: 'combobox', 'aria-label': 'Search the documentation', 'aria-controls': 'found', 'aria-expanded': 'false',
    'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false',
  })) input.setAttribute(name, value);
  const list = Object.assign(document.createElement('ul'), { id: 'found' });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Results');
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  dialog.append(input, list, status);
  document.body.append(dialog);

  let index;
  const load = async () => {
    try {
      index ??= await (await fetch('SEARCH_INDEX')).json();
    } catch {
      status.textContent = 'Could not load the search. Reload the page.';
      return;
    }
    show();
  };
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    void load();
  };
  button.addEventListener('click', open);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  addEventListener('keydown', (event) => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select');
    const isSlash = event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isK) return;
    event.preventDefault();
    open();
  });

  // Where a word is says more than how often: in a title, at the start of a word, in the text.
  function score([page, heading, , text], words) {
    let sum = 0;
    for (const word of words) {
      const places = [[heading || page, 12], [page, 6], [text, 1]];
      let best = 0;
      for (const [place, weight] of places) {
        const at = place.toLowerCase().indexOf(word);
        if (at < 0) continue;
        const starts = at === 0 || /[^\\p{L}\\p{N}]/u.test(place[at - 1]);
        best = Math.max(best, starts ? weight * 2 : weight);
      }
      if (best === 0) return 0;
      sum += best;
    }
    return heading === '' ? sum + 3 : sum;
  }
  function marked(text, words) {
    const lower = text.toLowerCase();
    const parts = [];
    let at = 0;
    while (at < text.length) {
      const next = words
        .map((word) => [lower.indexOf(word, at), word.length])
        .filter(([found]) => found >= 0)
        .sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      if (!next) break;
      const mark = document.createElement('mark');
      mark.textContent = text.slice(next[0], next[0] + next[1]);
      parts.push(text.slice(at, next[0]), mark);
      at = next[0] + next[1];
    }
    return [...parts, text.slice(at)];
  }
  function excerpt(text, words) {
    const lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((word) => (lower.indexOf(word) + 1 || Infinity) - 1)));
    const from = Number.isFinite(at) && at > 40 ? text.indexOf(' ', at - 40) + 1 : 0;
    return (from > 0 ? '... ' : '') + text.slice(from, from + 140);
  }
  function select(item) {
    for (const one of list.children) one.setAttribute('aria-selected', String(one === item));
    if (!item) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
  const selected = () => list.querySelector('[aria-selected="true"]');
  function show() {
    if (!index) return;
    // "retry" finds "retries".
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
      .map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|y)$/, '') : word));
    const found = words.length === 0 ? [] : index
      .map((entry) => [score(entry, words), entry])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 20);
    list.replaceChildren(...found.map(([, [page, heading, url, text]], number) => {
      const item = Object.assign(document.createElement('li'), { id: 'found-' + number });
      item.setAttribute('role', 'option');
      item.dataset.url = url;
      const title = document.createElement('b');
      title.append(...marked(heading === '' ? page : page + ' › ' + heading, words));
      const line = document.createElement('span');
      line.append(...marked(excerpt(text, words), words));
      item.append(title, line);
      return item;
    }));
    input.setAttribute('aria-expanded', String(found.length > 0));
    status.textContent = words.length === 0 ? 'Type to search titles, headings and text.'
      : found.length === 0 ? 'Nothing found. Try fewer words.'
      : found.length === 1 ? '1 result' : found.length + ' results';
    select(list.firstElementChild);
  }
  input.addEventListener('input', show);
  function go(item) {
    if (!item) return;
    dialog.close();
    location.assign(item.dataset.url);
  }
  list.addEventListener('click', (event) => go(event.target.closest('li')));
  list.addEventListener('mousemove', (event) => select(event.target.closest('li') ?? selected()));
  input.addEventListener('keydown', (event) => {
    const now = selected();
    if (event.key === 'ArrowDown') select(now?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === 'ArrowUp') select(now?.previousElementSibling ?? list.lastElementChild);
    else if (event.key === 'Enter') go(now);
    else return;
    event.preventDefault();
  });
}
`;
