// The search: a dialog over the page, opened with "/" or Ctrl K. The index is loaded when it is first opened.
import { element } from './element.ts';
import { bestEntries, excerptOf, splitAtWords, wordsOf, type SearchEntry } from './search-score.ts';

const NAME = 'Search the documentation';

function withMarks(text: string, words: readonly string[]): (Node | string)[] {
  return splitAtWords(text, words).map((piece) =>
    piece.isHit ? element('mark', {}, piece.text) : piece.text,
  );
}

function resultItem(entry: SearchEntry, number: number, words: readonly string[]): HTMLElement {
  const [page, heading, url, text] = entry;
  const title = heading === '' ? page : `${page} › ${heading}`;
  return element(
    'li',
    { id: `found-${number}`, role: 'option', 'data-url': url },
    element('b', {}, ...withMarks(title, words)),
    element('span', {}, ...withMarks(excerptOf(text, words), words)),
  );
}

function statusText(words: readonly string[], count: number): string {
  if (words.length === 0) return 'Type to search titles, headings and text.';
  if (count === 0) return 'Nothing found. Try fewer words.';
  return count === 1 ? '1 result' : `${count} results`;
}

function opensSearch({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k') return ctrlKey || metaKey;
  const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
  return key === '/' && !isTyping && !ctrlKey && !metaKey && !altKey;
}

export function setUpSearch(): void {
  const button = document.querySelector<HTMLElement>('.bar .search');
  const indexUrl = button?.dataset['index'];
  if (!button || indexUrl === undefined) return;
  const input = element('input', {
    type: 'search',
    placeholder: NAME,
    role: 'combobox',
    'aria-label': NAME,
    'aria-controls': 'found',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' });
  const status = element('p', { role: 'status' });
  const dialog = element('dialog', { class: 'find', 'aria-label': NAME }, input, list, status);
  document.body.append(dialog);

  let entries: SearchEntry[] | undefined;
  const selected = () => list.querySelector<HTMLElement>('[aria-selected="true"]');
  function select(item: Element | null): void {
    for (const each of list.children) each.setAttribute('aria-selected', String(each === item));
    if (item === null) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
  function show(): void {
    if (entries === undefined) return;
    const words = wordsOf(input.value);
    const found = bestEntries(entries, words);
    list.replaceChildren(...found.map((entry, number) => resultItem(entry, number, words)));
    input.setAttribute('aria-expanded', String(found.length > 0));
    status.textContent = statusText(words, found.length);
    select(list.firstElementChild);
  }
  async function load(url: string): Promise<void> {
    try {
      entries ??= (await (await fetch(url)).json()) as SearchEntry[];
    } catch {
      status.textContent = 'Could not load the search. Reload the page.';
      return;
    }
    show();
  }
  function open(): void {
    if (dialog.open || indexUrl === undefined) return;
    dialog.showModal();
    input.select();
    void load(indexUrl);
  }
  function follow(item: HTMLElement | null): void {
    const url = item?.dataset['url'];
    if (url === undefined) return;
    dialog.close();
    location.assign(url);
  }
  const itemAt = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLElement>('li') : null;

  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    if (!opensSearch(event)) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    const current = selected();
    if (event.key === 'ArrowDown') select(current?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === 'ArrowUp')
      select(current?.previousElementSibling ?? list.lastElementChild);
    else if (event.key === 'Enter') follow(current);
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', (event) => follow(itemAt(event)));
  list.addEventListener('mousemove', (event) => select(itemAt(event) ?? selected()));
}
