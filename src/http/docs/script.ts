// The script of the documentation. Without it a page lacks its search, its copy buttons, its tabs and, on narrow
// screens, a menu that is closed.
import { THEME_SCRIPT } from '../look/tokens.ts';
import { SEARCH_SCRIPT } from './search-script.ts';

const MENU = `
function setUpMenu() {
  const button = document.querySelector('.bar .menu');
  const menu = document.getElementById('menu');
  const show = (open) => {
    document.body.classList.toggle('menu-open', open);
    button.setAttribute('aria-expanded', String(open));
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'));
  menu.addEventListener('click', (event) => {
    if (event.target.closest('a')) show(false);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    show(false);
    button.focus();
  });
  menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}
`;

const THEME = `
function setUpTheme() {
  const root = document.documentElement;
  document.querySelector('.bar .theme').addEventListener('click', () => {
    const now = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    localStorage.setItem('millrace.theme', root.dataset.theme);
  });
}
`;

const COPY = `
function setUpCopy() {
  if (!navigator.clipboard) return;
  for (const pre of document.querySelectorAll('main pre')) {
    const block = document.createElement('div');
    block.className = 'block';
    pre.replaceWith(block);
    const copy = document.createElement('button');
    copy.className = 'copy';
    copy.type = 'button';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        copy.textContent = 'Copied';
      } catch {
        copy.textContent = 'Not allowed';
      }
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    });
    block.append(pre, copy);
  }
}
`;

/** One choice for all tabs, also on the next page. */
const TABS = `
function setUpTabs() {
  const all = [...document.querySelectorAll('.tabs')];
  for (const group of all) group.classList.add('ready');
  const groups = all.filter((group) => group.children.length > 1);
  const choosers = groups.map((group, number) => {
    const panels = [...group.children];
    const list = document.createElement('div');
    list.className = 'tablist';
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Ways to do it');
    const tabs = panels.map((panel, index) => {
      const tab = document.createElement('button');
      Object.assign(tab, { type: 'button', textContent: panel.dataset.label, id: 'tab-' + number + '-' + index });
      tab.setAttribute('role', 'tab');
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', tab.id);
      panel.id = 'panel-' + number + '-' + index;
      tab.setAttribute('aria-controls', panel.id);
      tab.addEventListener('click', () => choose(panel.dataset.label, tab));
      return tab;
    });
    list.append(...tabs);
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
    group.prepend(list);
    return (label) => {
      const wanted = panels.findIndex((panel) => panel.dataset.label === label);
      if (wanted < 0 && list.querySelector('[aria-selected="true"]')) return;
      for (const [index, tab] of tabs.entries()) {
        const isChosen = index === Math.max(wanted, 0);
        tab.setAttribute('aria-selected', String(isChosen));
        tab.tabIndex = isChosen ? 0 : -1;
        panels[index].hidden = !isChosen;
      }
    };
  });
  function choose(label, tab) {
    // What is pressed stays where it is while tabs above it change their height.
    const before = tab?.getBoundingClientRect().top;
    for (const show of choosers) show(label);
    if (!tab) return;
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
    localStorage.setItem('millrace.docs.tab', label);
  }
  choose(localStorage.getItem('millrace.docs.tab') ?? '');
}
`;

const HEADINGS = `
function setUpHeadings() {
  const links = new Map([...document.querySelectorAll('.toc a')].map((link) => [link.hash.slice(1), link]));
  if (links.size === 0) return;
  const mark = () => {
    const passed = [...links.keys()].filter((id) => document.getElementById(id).getBoundingClientRect().top < 120);
    for (const [id, link] of links) link.classList.toggle('here', id === passed.at(-1));
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}
`;

/** In the reference of the API: only the operations that have all the words. */
const OPERATIONS = `
function setUpOperations() {
  const side = document.querySelector('.side.operations');
  if (!side) return;
  const find = Object.assign(document.createElement('input'), {
    type: 'search', className: 'filter', placeholder: 'Filter operations',
  });
  find.setAttribute('aria-label', 'Filter operations');
  const nothing = Object.assign(document.createElement('p'), {
    className: 'nothing', textContent: 'Nothing matches.', hidden: true,
  });
  nothing.setAttribute('role', 'status');
  side.querySelector('ul').before(find, nothing);
  find.addEventListener('input', () => {
    const words = find.value.toLowerCase().split(/\\s+/);
    let shown = 0;
    for (const list of side.querySelectorAll('ul')) {
      let own = 0;
      for (const item of list.children) {
        const text = (item.textContent + ' ' + (item.dataset.path ?? '')).toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
        if (!item.hidden) own += 1;
      }
      const title = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
      if (title) title.hidden = own === 0;
      shown += own;
    }
    nothing.hidden = shown > 0;
  });
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') side.querySelector('li:not([hidden]) a')?.click();
  });
}
`;

/** The reference was at /docs once: links to its parts lead to where they are now. */
const MOVED = `
if (location.pathname === '/docs' && /^#(?:op-|tag-|authentication$|errors$)/.test(location.hash)) {
  location.replace('/docs/api' + location.hash);
}
`;

const START = `
document.documentElement.classList.add('js');
addEventListener('DOMContentLoaded', () => {
  for (const hidden of document.querySelectorAll('.bar [hidden]')) hidden.hidden = false;
  setUpMenu();
  setUpTheme();
  setUpTabs();
  setUpCopy();
  setUpHeadings();
  setUpOperations();
  setUpSearch();
  // Tabs and copy buttons have moved what is below them.
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView({ behavior: 'instant' });
});
`;

/** `SEARCH_INDEX` in it stands for the address of the index. */
export const SCRIPT = [
  MOVED,
  THEME_SCRIPT,
  MENU,
  THEME,
  COPY,
  TABS,
  HEADINGS,
  OPERATIONS,
  SEARCH_SCRIPT,
  START,
].join('');
