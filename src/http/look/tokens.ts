// The look that pages of the server share with the dashboard: its colours (web/styles.css; a test compares
// them), its mark, and the theme that a person has chosen there.

export const TOKENS = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f7f8f9, #0c1014);
  --surface: light-dark(#ffffff, #12171d);
  --sunken: light-dark(#f0f2f4, #0a0d11);
  --hover: light-dark(#eef1f3, #1b222b);
  --line: light-dark(#e3e7ea, #242c36);
  --line-strong: light-dark(#cbd2d8, #38434f);
  --text: light-dark(#14191f, #e8edf2);
  --soft: light-dark(#4e5965, #a4b0bd);
  --faint: light-dark(#66717d, #8793a1);
  --accent: light-dark(#0b7285, #4cc3d9);
  --accent-strong: light-dark(#095c6b, #7ad5e6);
  --accent-soft: light-dark(#e0f3f6, #0f2d35);
  --on-accent: light-dark(#ffffff, #06181c);
  --good: light-dark(#1b7a43, #5fd08a);
  --bad: light-dark(#b3261e, #ff8f87);
  --bad-soft: light-dark(#fdeceb, #361715);
  --warn: light-dark(#8a5300, #f0b65a);
  --info: light-dark(#2455b8, #8ab4ff);
  --shadow: 0 1px 2px light-dark(rgb(16 24 32 / 6%), rgb(0 0 0 / 40%));
  --shadow-lg: 0 12px 32px light-dark(rgb(16 24 32 / 16%), rgb(0 0 0 / 60%));
  --sans: 'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  --mono: 'JetBrains Mono Variable', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
`;

/** Two lines of running water, as in the side bar of the dashboard. */
export const MARK = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="var(--accent)"/><g fill="none" stroke="var(--on-accent)" stroke-width="2.6" stroke-linecap="round"><path d="M6 12.5c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0"/><path d="M6 20c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0" opacity=".65"/></g></svg>`;

export const ICON = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">';

/** For the beginning of a page's script. */
export const THEME_SCRIPT = `
const chosenTheme = localStorage.getItem('millrace.theme');
if (chosenTheme) document.documentElement.dataset.theme = chosenTheme;
`;
