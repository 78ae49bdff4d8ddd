import { element } from './element.ts';

/** Browsers have no clipboard for pages that were loaded without TLS from another machine. */
export function setUpCopyButtons(): void {
  if (!('clipboard' in navigator)) return;
  for (const pre of document.querySelectorAll('main pre')) {
    const copy = element('button', { class: 'copy', type: 'button' }, 'Copy');
    copy.addEventListener('click', () => {
      const say = (text: string) => {
        copy.textContent = text;
        setTimeout(() => (copy.textContent = 'Copy'), 2000);
      };
      navigator.clipboard.writeText(pre.textContent).then(
        () => say('Copied'),
        () => say('Not allowed'),
      );
    });
    const block = element('div', { class: 'block' });
    pre.replaceWith(block);
    block.append(pre, copy);
  }
}
