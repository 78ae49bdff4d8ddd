// The script of the documentation. Without it a page lacks its search, its copy buttons, its tabs and, on narrow
// screens, a menu that is closed. It runs before the page is drawn, so that nothing changes its look afterwards.
import './chosen-theme.ts';
import { setUpCopyButtons } from './copy-buttons.ts';
import { setUpCurrentHeading } from './current-heading.ts';
import { setUpMenu } from './menu.ts';
import { setUpOperationFilter } from './operation-filter.ts';
import { setUpSearch } from './search.ts';
import { setUpTabs } from './tabs.ts';
import { setUpThemeButton } from './theme-button.ts';

/** Links to the parts of the reference as they were when it was at /docs. */
const PART_OF_REFERENCE = /^#(?:op-|tag-|authentication$|errors$)/;
if (location.pathname === '/docs' && PART_OF_REFERENCE.test(location.hash)) {
  location.replace(`/docs/api${location.hash}`);
}

document.documentElement.classList.add('js');
addEventListener('DOMContentLoaded', () => {
  for (const button of document.querySelectorAll<HTMLElement>('.bar [hidden]')) {
    button.hidden = false;
  }
  setUpMenu();
  setUpThemeButton();
  setUpTabs();
  setUpCopyButtons();
  setUpCurrentHeading();
  setUpOperationFilter();
  setUpSearch();
  // Tabs and copy buttons have moved what is below them.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  target?.scrollIntoView({ behavior: 'instant' });
});
