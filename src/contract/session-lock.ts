/** Held, in a browser, by whatever replaces its session; all its tabs share it, those of the login too. */
export const SESSION_LOCK = 'millrace-session';
