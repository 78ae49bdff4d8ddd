import { element } from './element.ts';

/** In the menu of the API reference: only the operations that have all the words. */
export function setUpOperationFilter(): void {
  const side = document.querySelector('.side.operations');
  if (side === null) return;
  const label = 'Filter operations';
  const attributes = { type: 'search', class: 'filter', placeholder: label, 'aria-label': label };
  const filter = element('input', attributes);
  const nothing = element(
    'p',
    { class: 'nothing', role: 'status', hidden: '' },
    'Nothing matches.',
  );
  side.querySelector('ul')?.before(filter, nothing);
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const list of side.querySelectorAll('ul')) {
      const items = [...list.children] as HTMLElement[];
      for (const item of items) {
        const text = `${item.textContent} ${item.dataset['path'] ?? ''}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      const title = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
      if (title) title.hidden = items.every(({ hidden }) => hidden);
    }
    nothing.hidden = side.querySelector('li:not([hidden])') !== null;
  });
  filter.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') side.querySelector<HTMLElement>('li:not([hidden]) a')?.click();
  });
}
