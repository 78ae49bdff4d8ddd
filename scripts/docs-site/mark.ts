/** Two lines of running water, as in the side bar of the dashboard. */
export const MARK = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="var(--accent)"/><g fill="none" stroke="var(--on-accent)" stroke-width="2.6" stroke-linecap="round"><path d="M6 12.5c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0"/><path d="M6 20c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0" opacity=".65"/></g></svg>`;

export const ICON = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">';
