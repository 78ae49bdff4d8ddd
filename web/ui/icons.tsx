// The icons of Lucide that the dashboard shows (icons-license.txt), but for those of the frame. Copied, because the
// package has thousands of files, which every checkout would install and every build would read.
import { icon } from './icon.tsx';

export const ArrowLeftRight = icon('M8 3 4 7l4 4', 'M4 7h16', 'm16 21 4-4-4-4', 'M20 17H4');
export const Ban = icon(<circle cx="12" cy="12" r="10" />, 'M4.929 4.929 19.07 19.071');
export const Check = icon('M20 6 9 17l-5-5');
export const ChevronDown = icon('m6 9 6 6 6-6');
export const ChevronLeft = icon('m15 18-6-6 6-6');
export const ChevronRight = icon('m9 18 6-6-6-6');
export const ChevronsUpDown = icon('m7 15 5 5 5-5', 'm7 9 5-5 5 5');
export const CircleCheck = icon(<circle cx="12" cy="12" r="10" />, 'm16 9-5.5 5.5L8 12');
export const CircleDashed = icon(
  'M10.1 2.182a10 10 0 0 1 3.8 0',
  'M13.9 21.818a10 10 0 0 1-3.8 0',
  'M17.609 3.721a10 10 0 0 1 2.69 2.7',
  'M2.182 13.9a10 10 0 0 1 0-3.8',
  'M20.279 17.609a10 10 0 0 1-2.7 2.69',
  'M21.818 10.1a10 10 0 0 1 0 3.8',
  'M3.721 6.391a10 10 0 0 1 2.7-2.69',
  'M6.391 20.279a10 10 0 0 1-2.69-2.7',
);
export const CirclePause = icon(
  <circle cx="12" cy="12" r="10" />,
  <line x1="10" x2="10" y1="15" y2="9" />,
  <line x1="14" x2="14" y1="15" y2="9" />,
);
export const CircleSlash = icon(
  <circle cx="12" cy="12" r="10" />,
  <line x1="9" x2="15" y1="15" y2="9" />,
);
export const CircleX = icon(<circle cx="12" cy="12" r="10" />, 'm15 9-6 6', 'm9 9 6 6');
export const Code = icon('m16 18 6-6-6-6', 'm8 6-6 6 6 6');
export const Copy = icon(
  <rect width="14" height="14" x="8" y="8" rx="2" ry="2" />,
  'M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2',
);
export const CreditCard = icon(
  <rect width="20" height="14" x="2" y="5" rx="2" />,
  <line x1="2" x2="22" y1="10" y2="10" />,
  'M6 14h2',
);
export const Download = icon(
  'M12 15V3',
  'M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  'm7 10 5 5 5-5',
);
export const EllipsisVertical = icon(
  <circle cx="12" cy="12" r="1" />,
  <circle cx="12" cy="5" r="1" />,
  <circle cx="12" cy="19" r="1" />,
);
export const ExternalLink = icon(
  'M15 3h6v6',
  'M10 14 21 3',
  'M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6',
);
export const Eye = icon(
  'M2.062 12.348a1 1 0 0 1 0-.696 10.75 10.75 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.75 10.75 0 0 1-19.876 0',
  <circle cx="12" cy="12" r="3" />,
);
export const FileDiff = icon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M9 10h6',
  'M12 13V7',
  'M9 17h6',
);
export const FileMinus = icon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M9 15h6',
);
export const FilePen = icon(
  'M12.659 22H18a2 2 0 0 0 2-2V8a2.4 2.4 0 0 0-.706-1.706l-3.588-3.588A2.4 2.4 0 0 0 14 2H6a2 2 0 0 0-2 2v9.34',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M10.378 12.622a1 1 0 0 1 3 3.003L8.36 20.637a2 2 0 0 1-.854.506l-2.867.837a.5.5 0 0 1-.62-.62l.836-2.869a2 2 0 0 1 .506-.853z',
);
export const FilePlus = icon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M9 15h6',
  'M12 18v-6',
);
export const FlaskConical = icon(
  'M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2',
  'M6.453 15h11.094',
  'M8.5 2h7',
);
export const GitCompare = icon(
  <circle cx="18" cy="18" r="3" />,
  <circle cx="6" cy="6" r="3" />,
  'M13 6h3a2 2 0 0 1 2 2v7',
  'M11 18H8a2 2 0 0 1-2-2V9',
);
export const GitPullRequest = icon(
  <circle cx="18" cy="18" r="3" />,
  <circle cx="6" cy="6" r="3" />,
  'M13 6h3a2 2 0 0 1 2 2v7',
  'M6 9v12',
);
export const Hourglass = icon(
  'M5 22h14',
  'M5 2h14',
  'M17 22v-4.172a2 2 0 0 0-.586-1.414L12 12l-4.414 4.414A2 2 0 0 0 7 17.828V22',
  'M7 2v4.172a2 2 0 0 0 .586 1.414L12 12l4.414-4.414A2 2 0 0 0 17 6.172V2',
);
export const KeyRound = icon(
  'M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z',
  <circle cx="16.5" cy="7.5" r=".5" fill="currentColor" />,
);
export const Keyboard = icon(
  'M10 8h.01',
  'M12 12h.01',
  'M14 8h.01',
  'M16 12h.01',
  'M18 8h.01',
  'M6 8h.01',
  'M7 16h10',
  'M8 12h.01',
  <rect width="20" height="16" x="2" y="4" rx="2" />,
);
export const Link2Off = icon(
  'M9 17H7A5 5 0 0 1 7 7',
  'M15 7h2a5 5 0 0 1 4 8',
  <line x1="8" x2="12" y1="12" y2="12" />,
  <line x1="2" x2="22" y1="2" y2="22" />,
);
export const ListChecks = icon('M13 5h8', 'M13 12h8', 'M13 19h8', 'm3 17 2 2 4-4', 'm3 7 2 2 4-4');
export const ListTree = icon(
  'M8 5h13',
  'M13 12h8',
  'M13 19h8',
  'M3 10a2 2 0 0 0 2 2h3',
  'M3 5v12a2 2 0 0 0 2 2h3',
);
export const LoaderCircle = icon('M21 12a9 9 0 1 1-6.219-8.56');
export const LogOut = icon('m16 17 5-5-5-5', 'M21 12H9', 'M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4');
export const Maximize = icon(
  'M8 3H5a2 2 0 0 0-2 2v3',
  'M21 8V5a2 2 0 0 0-2-2h-3',
  'M3 16v3a2 2 0 0 0 2 2h3',
  'M16 21h3a2 2 0 0 0 2-2v-3',
);
export const Menu = icon('M4 5h16', 'M4 12h16', 'M4 19h16');
export const Minus = icon('M5 12h14');
export const Moon = icon(
  'M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401',
);
export const Pause = icon(
  <rect x="14" y="3" width="5" height="18" rx="1" />,
  <rect x="5" y="3" width="5" height="18" rx="1" />,
);
export const Pencil = icon(
  'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
  'm15 5 4 4',
);
export const Play = icon(
  'M5 5a2 2 0 0 1 3.008-1.728l11.997 6.998a2 2 0 0 1 .003 3.458l-12 7A2 2 0 0 1 5 19z',
);
export const Plus = icon('M5 12h14', 'M12 5v14');
export const Redo2 = icon(
  'm15 14 5-5-5-5',
  'M20 9H9.5A5.5 5.5 0 0 0 4 14.5A5.5 5.5 0 0 0 9.5 20H13',
);
export const ScrollText = icon(
  'M15 12h-5',
  'M15 8h-5',
  'M19 17V5a2 2 0 0 0-2-2H4',
  'M8 21h12a2 2 0 0 0 2-2v-1a1 1 0 0 0-1-1H11a1 1 0 0 0-1 1v1a2 2 0 1 1-4 0V5a2 2 0 1 0-4 0v2a1 1 0 0 0 1 1h3',
);
export const Search = icon('m21 21-4.34-4.34', <circle cx="11" cy="11" r="8" />);
export const SearchX = icon(
  'm13.5 8.5-5 5',
  'm8.5 8.5 5 5',
  <circle cx="11" cy="11" r="8" />,
  'm21 21-4.3-4.3',
);
export const Send = icon(
  'M14.536 21.686a.5.5 0 0 0 .937-.024l6.5-19a.496.496 0 0 0-.635-.635l-19 6.5a.5.5 0 0 0-.024.937l7.93 3.18a2 2 0 0 1 1.112 1.11z',
  'm21.854 2.147-10.94 10.939',
);
export const Share2 = icon(
  <circle cx="18" cy="5" r="3" />,
  <circle cx="6" cy="12" r="3" />,
  <circle cx="18" cy="19" r="3" />,
  <line x1="8.59" x2="15.42" y1="13.51" y2="17.49" />,
  <line x1="15.41" x2="8.59" y1="6.51" y2="10.49" />,
);
export const SkipForward = icon(
  'M21 4v16',
  'M6.029 4.285A2 2 0 0 0 3 6v12a2 2 0 0 0 3.029 1.715l9.997-5.998a2 2 0 0 0 .003-3.432z',
);
export const Square = icon(<rect width="18" height="18" x="3" y="3" rx="2" />);
export const Sun = icon(
  <circle cx="12" cy="12" r="4" />,
  'M12 2v2',
  'M12 20v2',
  'm4.93 4.93 1.41 1.41',
  'm17.66 17.66 1.41 1.41',
  'M2 12h2',
  'M20 12h2',
  'm6.34 17.66-1.41 1.41',
  'm19.07 4.93-1.41 1.41',
);
export const Terminal = icon('M12 19h8', 'm4 17 6-6-6-6');
export const Undo2 = icon(
  'M9 14 4 9l5-5',
  'M4 9h10.5a5.5 5.5 0 0 1 5.5 5.5a5.5 5.5 0 0 1-5.5 5.5H11',
);
export const User = icon(
  'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2',
  <circle cx="12" cy="7" r="4" />,
);
export const UserPlus = icon(
  'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2',
  <circle cx="9" cy="7" r="4" />,
  <line x1="19" x2="19" y1="8" y2="14" />,
  <line x1="22" x2="16" y1="11" y2="11" />,
);
export const Users = icon(
  'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2',
  'M16 3.128a4 4 0 0 1 0 7.744',
  'M22 21v-2a4 4 0 0 0-3-3.87',
  <circle cx="9" cy="7" r="4" />,
);
export const X = icon('M18 6 6 18', 'm6 6 12 12');
export const Wrench = icon(
  'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.77-3.77a6 6 0 0 1-7.94 7.94l-6.91 6.91a2.12 2.12 0 0 1-3-3l6.91-6.91a6 6 0 0 1 7.94-7.94l-3.76 3.76z',
);
