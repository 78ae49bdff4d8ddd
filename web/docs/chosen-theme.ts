// Runs before the page is drawn: the theme that a person chose here or in the dashboard.
export const chosenTheme = localStorage.getItem('millrace.theme');
if (chosenTheme !== null) document.documentElement.dataset['theme'] = chosenTheme;
