/** On narrow screens the menu is behind a button. */
export function setUpMenu(): void {
  const button = document.querySelector<HTMLElement>('.bar .menu');
  const menu = document.getElementById('menu');
  if (button === null || menu === null) return;
  const isOpen = () => button.getAttribute('aria-expanded') === 'true';
  const show = (open: boolean) => {
    document.body.classList.toggle('menu-open', open);
    button.setAttribute('aria-expanded', String(open));
  };
  button.addEventListener('click', () => show(!isOpen()));
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) show(false);
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !isOpen()) return;
    show(false);
    button.focus();
  });
  menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}
