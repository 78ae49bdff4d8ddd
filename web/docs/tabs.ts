// Blocks of code that show the same thing in several ways become tabs. One choice holds for all of them, also on the
// next page.
import { element } from './element.ts';

const REMEMBERED = 'millrace.docs.tab';

type Select = (label: string, pressed?: HTMLElement) => void;

/** Makes the tabs of one group; returns what shows the panel of a label. */
function tabsOf(group: Element, number: number, select: Select): (label: string) => void {
  const panels = [...group.children] as HTMLElement[];
  const labelOf = (panel: HTMLElement) => panel.dataset['label'] ?? '';
  const list = element('div', { class: 'tablist', role: 'tablist', 'aria-label': 'Ways to do it' });
  const tabs = panels.map((panel, index) => {
    const id = `tab-${number}-${index}`;
    panel.id = `panel-${number}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', id);
    const attributes = { id, type: 'button', role: 'tab', 'aria-controls': panel.id };
    const tab = element('button', attributes, labelOf(panel));
    tab.addEventListener('click', () => select(labelOf(panel), tab));
    return tab;
  });
  list.append(...tabs);
  list.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const current = tabs.findIndex((tab) => tab === document.activeElement);
    const next = tabs.at((current + step) % tabs.length);
    next?.focus();
    next?.click();
  });
  group.prepend(list);
  return (label) => {
    const wanted = panels.findIndex((panel) => labelOf(panel) === label);
    if (wanted < 0 && list.querySelector('[aria-selected="true"]')) return;
    for (const [index, tab] of tabs.entries()) {
      const isSelected = index === Math.max(wanted, 0);
      tab.setAttribute('aria-selected', String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      panels[index]!.hidden = !isSelected;
    }
  };
}

export function setUpTabs(): void {
  const groups = [...document.querySelectorAll('.tabs')];
  for (const group of groups) group.classList.add('ready');
  const select: Select = (label, pressed) => {
    // The tab that was pressed stays where it is while tabs above it change their height.
    const before = pressed?.getBoundingClientRect().top ?? 0;
    for (const show of shows) show(label);
    if (pressed === undefined) return;
    scrollBy({ top: pressed.getBoundingClientRect().top - before, behavior: 'instant' });
    localStorage.setItem(REMEMBERED, label);
  };
  const shows = groups
    .filter((group) => group.children.length > 1)
    .map((group, number) => tabsOf(group, number, select));
  select(localStorage.getItem(REMEMBERED) ?? '');
}
