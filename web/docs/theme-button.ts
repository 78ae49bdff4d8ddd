export function setUpThemeButton(): void {
  const { dataset } = document.documentElement;
  document.querySelector('.bar .theme')?.addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    const next = (dataset['theme'] ?? system) === 'dark' ? 'light' : 'dark';
    dataset['theme'] = next;
    localStorage.setItem('millrace.theme', next);
  });
}
