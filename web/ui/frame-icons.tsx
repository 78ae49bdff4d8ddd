// Icons of Lucide (icons-license.txt) in the frame, which every page waits for: the side bar, and what is shown while a
// page comes, or does not.
import { icon } from './icon.tsx';

export const Bell = icon(
  'M10.268 21a2 2 0 0 0 3.464 0',
  'M3.262 15.326A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326',
);
export const BookOpen = icon(
  'M12 5v16',
  'M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z',
);
export const ChartColumn = icon('M3 3v16a2 2 0 0 0 2 2h16', 'M18 17V9', 'M13 17V5', 'M8 17v-3');
export const Clock = icon(<circle cx="12" cy="12" r="10" />, 'M12 6v6l4 2');
export const FileCode = icon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M10 12.5 8 15l2 2.5',
  'm14 12.5 2 2.5-2 2.5',
);
export const GitFork = icon(
  <circle cx="12" cy="18" r="3" />,
  <circle cx="6" cy="6" r="3" />,
  <circle cx="18" cy="6" r="3" />,
  'M18 9v2c0 .6-.4 1-1 1H7c-.6 0-1-.4-1-1V9',
  'M12 12v3',
);
export const Monitor = icon(
  <rect width="20" height="14" x="2" y="3" rx="2" />,
  <line x1="8" x2="16" y1="21" y2="21" />,
  <line x1="12" x2="12" y1="17" y2="21" />,
);
export const PencilLine = icon(
  'M13 21h8',
  'm15 5 4 4',
  'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
);
export const Plug = icon(
  'M12 22v-5',
  'M15 8V2',
  'M17 8a1 1 0 0 1 1 1v4a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4V9a1 1 0 0 1 1-1z',
  'M9 8V2',
);
export const RotateCw = icon('M21 12a9 9 0 1 1-9-9c2.52 0 4.93 1 6.74 2.74L21 8', 'M21 3v5h-5');
export const Server = icon(
  <rect width="20" height="8" x="2" y="2" rx="2" ry="2" />,
  <rect width="20" height="8" x="2" y="14" rx="2" ry="2" />,
  <line x1="6" x2="6.01" y1="6" y2="6" />,
  <line x1="6" x2="6.01" y1="18" y2="18" />,
);
export const Settings = icon(
  'M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915',
  <circle cx="12" cy="12" r="3" />,
);
export const SquareTerminal = icon(
  'm7 11 2-2-2-2',
  'M11 13h4',
  <rect width="18" height="18" x="3" y="3" rx="2" ry="2" />,
);
export const TriangleAlert = icon(
  'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3',
  'M12 9v4',
  'M12 17h.01',
);
export const Workflow = icon(
  <rect width="8" height="8" x="3" y="3" rx="2" />,
  'M7 11v4a2 2 0 0 0 2 2h4',
  <rect width="8" height="8" x="13" y="13" rx="2" />,
);
export const Zap = icon(
  'M4 14a1 1 0 0 1-.78-1.63l9.9-10.2a.5.5 0 0 1 .86.46l-1.92 6.02A1 1 0 0 0 13 10h7a1 1 0 0 1 .78 1.63l-9.9 10.2a.5.5 0 0 1-.86-.46l1.92-6.02A1 1 0 0 0 11 14z',
);
